"""Folded blocks that may hold executed cells: derivations, and the solutions of sphinx-exercise.

MyST-NB drops a code cell that stands inside a directive. So a derivation is opened and closed by two directives on the top
level of a notebook, and a transform gathers what stands between them.
"""

from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.errors import ExtensionError
from sphinx.transforms import SphinxTransform
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective
from sphinx_exercise.nodes import solution_node


class derivation(nodes.General, nodes.Element):
    """A folded block with a claim as its summary."""


class derivation_start(nodes.General, nodes.Element):
    """Where a derivation opens."""


class derivation_end(nodes.General, nodes.Element):
    """Where it closes."""


KINDS = {"der-": "Derivation", "we-": "Worked example", "wex-": "Worked example", "ex-": "Worked example"}


class DerivationStart(SphinxDirective):
    """```{derivation-start} der-a1-chain-rule``` with the claim as content."""

    required_arguments = 1
    has_content = True

    def run(self):
        self.assert_has_content()
        name = self.arguments[0]
        if not name.startswith(tuple(KINDS)):
            raise self.error(f"derivation {name!r}: a name starts with one of {', '.join(KINDS)}")
        claim = nodes.Element()
        self.state.nested_parse(self.content, self.content_offset, claim)
        if len(claim) != 1 or not isinstance(claim[0], nodes.paragraph):
            raise self.error(f"derivation {name!r}: the claim is to be one paragraph")
        start = derivation_start(name=name)
        start += claim[0].children
        self.set_source_info(start)
        return [start]


class DerivationEnd(Directive):
    """```{derivation-end}```"""

    def run(self):
        end = derivation_end()
        end.source, end.line = self.state_machine.get_source_and_line(self.lineno)
        return [end]


class GatherDerivations(SphinxTransform):
    """Put what stands between the two gates into one node."""

    default_priority = 10

    def apply(self):
        for start in list(self.document.findall(derivation_start)):
            self._gather(start)
        for end in self.document.findall(derivation_end):
            raise ExtensionError(f"{self.env.docname}: line {end.line}: derivation-end without derivation-start")

    def _gather(self, start):
        name, parent = start["name"], start.parent
        begin = parent.index(start)
        gates = [i for i in range(begin + 1, len(parent)) if isinstance(parent[i], (derivation_start, derivation_end))]
        if not gates or isinstance(parent[gates[0]], derivation_start):
            raise ExtensionError(
                f"{self.env.docname}: line {start.line}: derivation {name!r} has no derivation-end in its own section"
            )
        body = parent[begin + 1 : gates[0]]
        if not any(isinstance(node, nodes.container) and node.get("nb_element") == "cell_code" for node in body):
            raise ExtensionError(f"{self.env.docname}: line {start.line}: derivation {name!r} has no executed cell")
        kind = next(word for prefix, word in KINDS.items() if name.startswith(prefix))
        block = derivation(classes=["derivation"], names=[name], kind=kind)
        block.source, block.line = start.source, start.line
        title = nodes.title("", "", *start.children)
        block += title
        block += body
        parent[begin : gates[0] + 1] = [block]
        self.document.note_explicit_target(block, block)


def visit_derivation(translator, node):
    """``<details>`` with the number and the claim as its summary."""
    number = ".".join(map(str, translator.builder.fignumbers.get("derivation", {}).get(node["ids"][0], ())))
    translator.body.append(f'<details class="derivation" id="{node["ids"][0]}"><summary><span class="kind">{node["kind"]}'
                           f"{' ' + number if number else ''}.</span> ")
    for link in list(node[0].findall(nodes.reference)):  # a fold's handle must not hold other handles
        link.replace_self(link.children)
    for child in node[0].children:
        child.walkabout(translator)
    translator.body.append('</summary><div class="steps">')
    node.children = node.children[1:]


def depart_derivation(translator, node):
    """Close it."""
    translator.body.append("</div></details>")


def derivation_title(node):
    """For cross-references by title."""
    return node[0].astext()


def visit_solution(translator, node):
    """``<details>`` in place of sphinx-exercise's box; the exercise stands right above it."""
    translator.body.append(f'<details class="solution" id="{node["ids"][0]}"><summary>Solution</summary><div class="steps">')
    node.children = node.children[1:]


class UnwrapExercises(SphinxPostTransform):
    """Exercises and solutions wrap their content in a section with a fixed id, which would stand twice on a page."""

    default_priority = 900

    def run(self, **kwargs):
        for section in list(self.document.findall(nodes.section)):
            if section["ids"] in (["exercise-content"], ["solution-content"]):
                section["ids"].clear()  # replace_self would hand them on to the first child
                section.replace_self(section.children)


def setup(app):
    """Register directives, nodes and transforms."""
    app.add_enumerable_node(derivation, "derivation", derivation_title, html=(visit_derivation, depart_derivation))
    app.add_directive("derivation-start", DerivationStart)
    app.add_directive("derivation-end", DerivationEnd)
    app.add_transform(GatherDerivations)
    app.add_node(solution_node, override=True, html=(visit_solution, depart_derivation))
    app.add_post_transform(UnwrapExercises)
    app.connect("config-inited", lambda app, config: config.numfig_format.setdefault("derivation", "Derivation %s"))
