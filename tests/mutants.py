"""Do the tests and the book's checks bite? Run by ``make mutants``, not part of ``make test``.

Small faults are planted in the science, one at a time, by mutmut's operators; a fault is killed when a test fails or a check of the
book raises. Judges, in this order: the tests of the module and those of refusals, then the notebooks, whose cells run with
figures left undrawn. Each judge sees only the faults in statements that it executes (coverage.py), the quickest judge first.

Left out, because they say nothing about numbers: faults in strings, annotations and the words of a refusal. Left out, because
nearly all of them only raise a TypeError: None for an assigned value or an argument, and dropping a positional argument that is
not the last. Hypothesis draws as many examples as in the tests, without a random seed and without shrinking.

Verdicts are kept in _build/mutants: a kill stands until the module or the test that killed changes, survival until any file of its
judges does. So a run can be stopped and taken up again. Faults that change nothing are listed, with the reason, in mutants_equivalent.toml, and counted apart.
"""

import argparse
import ast
import gc
import hashlib
import importlib.machinery
import inspect
import json
import os
import random
import re
import resource
import signal
import sys
import time
import tomllib
import types
from collections import Counter
from functools import lru_cache
from pathlib import Path

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MPLBACKEND="Agg")

import coverage
import hypothesis
import IPython.display  # noqa: F401  what is imported here need not be imported for each fault
import jupytext
import libcst as cst
import matplotlib.pyplot  # noqa: F401
import mpmath  # noqa: F401
import numpy  # noqa: F401
import pytest
import sympy  # noqa: F401
from libcst.metadata import ByteSpanPositionProvider, MetadataWrapper, ParentNodeProvider, PositionProvider
from mutmut.mutation import mutators

ROOT = Path(__file__).resolve().parents[1]
SCIENCE, TESTS, BOOK = ROOT / "src" / "toyattn", ROOT / "tests", ROOT / "book"
KEPT = ROOT / "_build" / "mutants"
EQUIVALENT = TESTS / "mutants_equivalent.toml"
NOT_SCIENCE = ("__init__", "__main__", "cli")
NO_NUMBERS = (mutators.operator_string, mutators.operator_assignment)
EVERYWHERE = (1, 10**6)  # what runs at import concerns every test of the module, and every notebook that executes a line of it
MEMORY = 8 << 30  # bytes that a fault may ask for


# --- the faults --------------------------------------------------------------------------------------------------------


class Planter(cst.CSTVisitor):
    """Collects the faults of one module: where they stand, and its text with each of them."""

    METADATA_DEPENDENCIES = (PositionProvider, ByteSpanPositionProvider, ParentNodeProvider)

    def __init__(self, text):
        self.text, self.faults = text, []
        self.wrapper = MetadataWrapper(cst.parse_module(text))

    def on_visit(self, node):
        if isinstance(node, (cst.Annotation, cst.Import, cst.ImportFrom)) or _called(node) == "refuse":
            return False
        for kind, operator in mutators.mutation_operators:
            if isinstance(node, kind) and operator not in NO_NUMBERS:
                for changed in operator(node):
                    if operator is not mutators.operator_arg_removal or _drops_an_option(node, changed):
                        self._plant(node, changed)
        return True

    def _plant(self, node, changed):
        place, source = self.get_metadata(ByteSpanPositionProvider, node), self.text.encode()
        if getattr(node, "lpar", ()):  # its parentheses are not part of the place
            changed = changed.with_changes(lpar=(), rpar=())
        put = self.wrapper.module.code_for_node(changed).encode()
        text = (source[: place.start] + put + source[place.start + place.length :]).decode()
        function, first, last = self._statement(node)
        line = self.get_metadata(PositionProvider, node).start.line
        was, becomes = _difference(self.text.splitlines(), text.splitlines())
        self.faults.append(dict(function=function, line=line, span=(first, last), was=was, becomes=becomes, text=text))

    def _statement(self, node):
        """The function around a node, and the lines whose execution may show its fault."""
        place, names, span, in_function = node, [], None, False
        while place is not None:
            parent = self.get_metadata(ParentNodeProvider, place, None)
            if span is None and isinstance(place, cst.BaseStatement) and not isinstance(place, cst.ClassDef):
                lines = self.get_metadata(PositionProvider, place)
                span = (lines.start.line, lines.end.line)
                if isinstance(place, (cst.If, cst.For, cst.While, cst.With)):
                    span = (span[0], self.get_metadata(PositionProvider, place.body).start.line - 1)
            if isinstance(place, (cst.FunctionDef, cst.ClassDef)):
                names.insert(0, place.name.value)
                in_function = in_function or isinstance(place, cst.FunctionDef)
            place = parent
        return ".".join(names), *(span if in_function else EVERYWHERE)


def _difference(old, new):
    """The lines that differ, before and after."""
    same = len(os.path.commonprefix([old, new]))
    old, new = old[same:], new[same:]
    same = len(os.path.commonprefix([old[::-1], new[::-1]]))
    return ("\n".join(line.strip() for line in lines[: len(lines) - same]) for lines in (old, new))


def _called(node):
    """The name of the function that is called, without what stands before the dot."""
    if not isinstance(node, cst.Call):
        return None
    return getattr(getattr(node.func, "attr", node.func), "value", None)


def _drops_an_option(call, changed):
    place = next((i for i, (one, other) in enumerate(zip(call.args, changed.args)) if one is not other), len(changed.args))
    return len(changed.args) < len(call.args) and (call.args[place].keyword is not None or place == len(call.args) - 1)


def faults_of(module):
    """All faults of a module, in the order of its lines."""
    text = (SCIENCE / f"{module}.py").read_text(encoding="utf-8")
    planter = Planter(text)
    planter.wrapper.visit(planter)
    for fault in planter.faults:
        fault.update(module=module, id=_hash(text, fault["text"]))
    return sorted({fault["id"]: fault for fault in planter.faults}.values(), key=lambda fault: fault["line"])


def _hash(*texts):
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:20]


# --- the judges --------------------------------------------------------------------------------------------------------


def test_files():
    """The tests of the science; those of the notebooks in a server, which import a part of it too, are no judges."""
    return [path for path in sorted(TESTS.glob("test_*.py"))
            if re.search(r"^from toyattn(\.(?!page|cli)\w+)? import", path.read_text(), re.M) and path.stem != "test_live"]


def notebooks():
    return [path for path in sorted(BOOK.rglob("*.md")) if "{code-cell}" in path.read_text(encoding="utf-8")]


class Chosen:
    """A pytest plugin: only these tests, in this order, each with its own limit of processor time; says which one failed."""

    def __init__(self, seconds=None, first=None, context=lambda name: None):
        self.seconds, self.first, self.context = seconds, first, context
        self.took, self.failed = {}, None

    def pytest_collection_modifyitems(self, items):
        if self.seconds is not None:
            items[:] = sorted((item for item in items if item.nodeid in self.seconds),
                              key=lambda item: (item.nodeid != self.first, self.seconds[item.nodeid]))

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item):
        self.context(item.nodeid)
        if self.seconds is not None:
            limit(self.seconds[item.nodeid])
        begun = time.process_time()
        yield
        self.took[item.nodeid] = time.process_time() - begun

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.failed = self.failed or report.nodeid

    def pytest_collectreport(self, report):
        if report.failed:
            self.failed = self.failed or report.nodeid


def limit(seconds):
    """End this process if it computes five times as long as it should."""
    signal.setitimer(signal.ITIMER_PROF, 5 * seconds + 2)


def run_tests(paths, plugin):
    """The name of the first test that fails, or None."""
    hypothesis.settings.register_profile("mutants", derandomize=True, database=None, deadline=None,
                                         phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate])
    hypothesis.settings.load_profile("mutants")
    options = ["-x", "-q", "-s", "--noconftest", "--assert=plain", "--tb=no", "-p", "no:cacheprovider", f"--rootdir={ROOT}"]
    status = pytest.main([*options, *map(str, paths)], plugins=[plugin])
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        return plugin.failed or "the tests do not load"
    return None


def cells_of(path):
    """The compiled code cells of a notebook."""
    cells = [cell.source for cell in jupytext.read(path).cells if cell.cell_type == "code"]
    return [compile(source, f"{path.name}-{i}", "exec") for i, source in enumerate(cells)]


def run_notebook(path, cells):
    """The first check that fails or error that a cell raises, as text, or None. Figures are not drawn."""
    from toyattn import page

    page.explore = lambda *args, **controls: None
    os.chdir(path.parent)
    space = {"__name__": "__main__"}
    try:
        for code in cells:
            exec(code, space)
    except Exception as error:
        return f"{path.relative_to(ROOT)}: {type(error).__name__}: {str(error)[:200]}"
    return None


# --- what each judge executes ------------------------------------------------------------------------------------------


def look_at(path):
    """Which statements of toyattn each test of a file, or a notebook as a whole, executes, and how long it takes."""
    tracer = coverage.Coverage(include=[str(SCIENCE / "*.py")], data_file=None, config_file=False)
    tracer.start()
    if path.suffix == ".py":
        plugin = Chosen(context=tracer.switch_context)
        failed, took = run_tests([path], plugin), plugin.took
    else:
        import toyattn.page  # noqa: F401  what an import executes belongs to no notebook

        cells, name, begun = cells_of(path), str(path.relative_to(ROOT)), time.process_time()
        tracer.switch_context(name)
        failed = run_notebook(path, cells)
        took = {name: time.process_time() - begun}
    tracer.stop()
    if failed:
        return {"failed": failed}
    data, lines = tracer.get_data(), {}
    for file in data.measured_files():
        lines[Path(file).stem] = {line: [name for name in names if name] for line, names in data.contexts_by_lineno(file).items()}
    return {"took": took, "lines": lines}


class Judges:
    """What each test and notebook executes; kept, and taken anew for files that changed."""

    def __init__(self, workers, book):
        science = _hash(*(path.read_text(encoding="utf-8") for path in sorted(SCIENCE.rglob("*.py"))))
        paths = test_files() + (notebooks() if book else [])
        self.hashes = {str(path.relative_to(ROOT)): _hash(science, path.read_text(encoding="utf-8")) for path in paths}
        self.seen = _load("judges.json")
        missing = [path for path in paths if self.hashes[str(path.relative_to(ROOT))] not in self.seen]
        for path, result in in_children(look_at, missing, workers):
            if not result or "failed" in result:
                sys.exit(f"{path.relative_to(ROOT)} fails without any fault: {result and result['failed']}")
            self.seen[self.hashes[str(path.relative_to(ROOT))]] = result
            _save("judges.json", _load("judges.json") | self.seen)
        self.cells = {str(path.relative_to(ROOT)): cells_of(path) for path in paths if path.suffix == ".md"}

    def of(self, fault):
        """The tests and the notebooks that execute a fault's statement, with their seconds."""
        tests, books = {}, {}
        for path, key in self.hashes.items():
            if path.endswith(".md") or concerns(ROOT / path, fault["module"]):
                seen = self.seen[key]
                at_import = fault["span"] == EVERYWHERE and path.endswith(".py")
                names = set(seen["took"]) if at_import else self._names(seen["lines"].get(fault["module"], {}), fault["span"])
                chosen = {name: seen["took"][name] for name in names if name in seen["took"]}
                (books if path.endswith(".md") else tests).update(chosen)
        return tests, books

    @lru_cache(None)
    def hash_of(self, judge):
        """Changes when the text of this test, or of this notebook, does; None if it is not there any more."""
        path, _, test = judge.partition("::")
        if not test:
            return self.hashes.get(path)
        function = test.partition("[")[0]
        text = (ROOT / path).read_text(encoding="utf-8")
        found = [node for node in ast.parse(text).body if getattr(node, "name", None) == function]
        return _hash(*(ast.unparse(node) for node in found)) if found else None

    @staticmethod
    def _names(lines, span):
        found = [names for line, names in lines.items() if span[0] <= int(line) <= span[1]]
        return set().union(*found)


@lru_cache(None)
def concerns(path, module):
    """Whether a file of tests judges a module: its own file, else one that imports it and is no other module's own; refusals all."""
    if path.stem == "test_refusals":
        return True
    own, its_module = TESTS / f"test_{module}.py", path.stem.removeprefix("test_")
    if path == own or own.exists() and (SCIENCE / f"{its_module}.py").exists():
        return path == own
    imports = re.findall(r"^(?:from|import) toyattn[^(\n]*(?:\([^)]*\))?", path.read_text(encoding="utf-8"), re.M)
    return any(re.search(rf"\b{module}\b", words) for words in imports)


# --- one fault ---------------------------------------------------------------------------------------------------------


class Faulty(importlib.machinery.SourceFileLoader):
    """Finds and loads the module with the fault in it; placed before all other finders."""

    def __init__(self, fault):
        super().__init__(f"toyattn.{fault['module']}", str(SCIENCE / f"{fault['module']}.py"))
        self.text = fault["text"]

    def find_spec(self, name, path=None, target=None):
        return importlib.machinery.ModuleSpec(name, self, origin=self.path) if name == self.name else None

    def get_code(self, fullname):
        return compile(self.text, self.path, "exec")


def replant(fault):
    """Put the code of the faulty function into the one that is loaded already, as a plain import would; False if that cannot be.

    A decorator has done its work by then, and a function inside another may be of its making: these cannot.
    """
    module = sys.modules[f"toyattn.{fault['module']}"]
    space = {"__name__": module.__name__, "__package__": "toyattn", "__file__": module.__file__}
    names = fault["function"].split(".")
    if names == [""] or fault["was"].startswith("@") or inspect.isfunction(vars(module).get(names[0])) and len(names) > 1:
        return False
    try:
        exec(compile(fault["text"], module.__file__, "exec"), space)
    except Exception:
        return False
    old, new = _function(vars(module), names), _function(space, names)
    if old is None or new is None or old.__code__.co_freevars != new.__code__.co_freevars:
        return False
    old.__code__, old.__defaults__, old.__kwdefaults__ = new.__code__, new.__defaults__, new.__kwdefaults__
    return True


def _function(space, names):
    """The outermost function on a path of names, without its decorators."""
    for name in names:
        found = space.get(name)
        if isinstance(found, type):
            space = vars(found)
            continue
        while found is not None and (hasattr(found, "__wrapped__") or not isinstance(found, types.FunctionType)):
            found = next((inner for word in ("fget", "__func__", "__wrapped__") if (inner := getattr(found, word, None))), None)
        return found
    return None


class Session:
    """A pytest plugin that runs the work in place of the tests, when they are loaded: each child needs no import and no collection."""

    def __init__(self, work):
        self.work, self.status, self.kills = work, None, Counter()

    def pytest_runtestloop(self, session):
        gc.freeze()  # children then share the parent's memory
        self.items = {item.nodeid: item for item in session.items}
        self.status = self.work(self)
        return True

    def judge(self, task):
        """Run the judges on a fault until one of them objects: its name and, for a notebook, what it said.

        A fault in what runs at import needs everything imported anew; any other is put into the functions that are loaded.
        """
        fault, tests, books, cells, first = task
        if replant(fault):
            failed = self._first_failure(tests, first)
        else:
            for name, module in list(sys.modules.items()):
                if re.match(r"toyattn\b", name) or Path(getattr(module, "__file__", None) or "/").parent == TESTS and name != "__main__":
                    del sys.modules[name]
            sys.meta_path.insert(0, Faulty(fault))
            files = sorted({name.split("::")[0] for name in tests})
            failed = files and run_tests([ROOT / file for file in files], Chosen(tests, first))
        if failed:
            return {"by": failed}
        for book in sorted(books, key=lambda name: (name != first, books[name])):
            limit(books[book])
            if said := run_notebook(ROOT / book, cells[book]):
                return {"by": book, "said": said}
        return {"by": None}

    def _first_failure(self, tests, first):
        plugin = Chosen()
        for name in sorted(tests, key=lambda name: (name != first, tests[name] / (1 + self.kills[name]))):
            item = self.items[name]
            item.config.pluginmanager.register(plugin, "chosen")
            limit(tests[name])
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
            item.config.pluginmanager.unregister(plugin)
            if plugin.failed:
                return plugin.failed
        return None


def in_children(work, tasks, workers):
    """(task, result) of each task as it is done, each in a process of its own; None for one that did not live to answer."""
    waiting, running = list(reversed(tasks)), {}
    while waiting or running:
        while waiting and len(running) < workers:
            task = waiting.pop()
            answer = KEPT / f"answer-{os.getpid()}-{len(waiting)}.json"
            answer.unlink(missing_ok=True)
            if not (child := os.fork()):
                _answer(work, task, answer)
            running[child] = task, answer
        child, status = os.wait()
        task, answer = running.pop(child)
        yield task, json.loads(answer.read_text()) if answer.exists() else None
        answer.unlink(missing_ok=True)


def _answer(work, task, answer):
    try:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1), os.dup2(silent, 2)
        text = json.dumps(work(task))
        part = answer.with_suffix(".part")
        part.write_text(text)
        part.rename(answer)
    finally:
        os._exit(0)


# --- a run -------------------------------------------------------------------------------------------------------------


def run(module, judges, session, workers, sample):
    """Judge the faults of a module; each fault then has its verdict under "by": a judge, "time", or None."""
    name = f"{module}.json"
    faults, kept, begun = faults_of(module), _load(name), time.time()
    if sample and sample < len(faults):
        faults = [faults[i] for i in sorted(random.Random(0).sample(range(len(faults)), sample))]
    tasks = []
    for fault in faults:
        tests, books = judges.of(fault)
        fault["judges"] = _hash(*(judges.hashes[path] for path in sorted({judge.split("::")[0] for judge in (*tests, *books)})))
        old = kept.get(fault["id"], {})
        if old and (old["judges"] == fault["judges"] or old["by"] and old["hash"] == judges.hash_of(old["by"])):
            fault.update(by=old["by"], said=old.get("said"))
        elif not tests and not books:
            fault.update(by=None, said="no judge runs this line")
        else:
            tasks.append((fault, tests, books, judges.cells, old.get("by")))
    for done, ((fault, *_), result) in enumerate(in_children(session.judge, tasks, workers), 1):
        fault.update(result or {"by": "time"})
        session.kills[fault["by"]] += 1
        if done % 100 == 0:
            say(f"  {module}: {done} of {len(tasks)} in {time.time() - begun:.0f} s")
            _keep(name, faults, judges)
    _keep(name, faults, judges)
    return faults


def _keep(name, faults, judges):
    kept = {}
    for fault in faults:
        if "by" in fault:
            kept[fault["id"]] = dict(by=fault["by"], said=fault.get("said"), judges=fault["judges"],
                                     hash=fault["by"] and judges.hash_of(fault["by"]))
    _save(name, _load(name) | kept)


def say(text):
    print(text, flush=True)


def _load(name):
    path = KEPT / name
    return json.loads(path.read_text()) if path.exists() else {}


def _save(name, content):
    KEPT.mkdir(parents=True, exist_ok=True)
    part = KEPT / f"{name}.part"
    part.write_text(json.dumps(content))
    part.rename(KEPT / name)


def key(fault):
    return fault["module"], fault["function"], fault["was"], fault["becomes"]


def one_line(fault):
    was, becomes = (fault[side].replace("\n", " ⏎ ") for side in ("was", "becomes"))
    return f"{fault['module']}.py:{fault['line']} {fault['function']}\n    - {was}\n    + {becomes}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("modules", nargs="*", help="modules of toyattn (all of them)")
    parser.add_argument("--sample", type=int, help="only so many faults of each module, drawn with a fixed seed")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--tests-only", action="store_true", help="leave the book out: quicker, for writing tests")
    chosen = parser.parse_args()
    KEPT.mkdir(parents=True, exist_ok=True)
    modules = chosen.modules or [path.stem for path in sorted(SCIENCE.glob("*.py")) if path.stem not in NOT_SCIENCE]
    judges = Judges(chosen.workers, not chosen.tests_only)
    session = Session(lambda session: report(modules, judges, session, chosen))
    run_tests(sorted({path for module in modules for path in test_files() if concerns(path, module)}), session)
    return session.status


def report(modules, judges, session, chosen):
    """Judge the modules one after the other; print and keep what came out. 1 if the list of equivalent faults is wrong, else 0."""
    listed = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8"))["equivalent"] if EQUIVALENT.exists() else []
    reasons = {key(entry): entry["why"] for entry in listed if entry["module"] in modules}
    results, wrong = {}, set() if chosen.sample else set(reasons)
    for module in modules:
        faults = run(module, judges, session, chosen.workers, chosen.sample)
        alive = [fault for fault in faults if fault["by"] is None]
        equal = [fault for fault in alive if key(fault) in reasons]
        survived = [fault for fault in alive if key(fault) not in reasons]
        wrong -= {key(fault) for fault in equal}
        by = Counter("time" if f["by"] == "time" else "book" if f["by"].endswith(".md") else "tests" for f in faults if f["by"])
        results[module] = dict(faults=len(faults), killed=by.total(), by=dict(by), equivalent=len(equal),
                               survived=[{k: fault[k] for k in ("function", "line", "was", "becomes")} for fault in survived])
        say(_row(module, results[module]))
        for fault in survived:
            say("  survived: " + one_line(fault))
    everything = dict(faults=sum(r["faults"] for r in results.values()), equivalent=sum(r["equivalent"] for r in results.values()),
                      by=dict(sum((Counter(r["by"]) for r in results.values()), Counter())),
                      killed=sum(r["killed"] for r in results.values()), survived=sum((r["survived"] for r in results.values()), []))
    say(_row("together", everything))
    (ROOT / "_build" / "mutants.json").write_text(json.dumps(dict(modules=results, sample=chosen.sample, tests_only=chosen.tests_only), indent=1))
    for entry in sorted(wrong):
        say(f"listed as equivalent, but killed or no longer made: {entry}")
    return 1 if wrong else 0


def _row(name, result):
    alive, by = len(result["survived"]), result["by"]
    score = 100 * result["killed"] / max(1, result["faults"] - result["equivalent"])
    return (f"{name}: {result['faults']} faults, {result['killed']} killed ({by.get('tests', 0)} by tests, {by.get('book', 0)} by the book's "
            f"checks, {by.get('time', 0)} by the limit of time or memory), {result['equivalent']} equivalent, {alive} survived: {score:.1f} %")


if __name__ == "__main__":
    sys.exit(main())
