"""Numbered references, each of which makes Sphinx load the page that it leads to: here every page is loaded once."""

from functools import cache

from sphinx.domains.std import StandardDomain


def setup(app):
    """Put our domain in the place of Sphinx's own."""
    app.add_domain(Domain, override=True)


class Domain(StandardDomain):
    """Sphinx's standard domain, whose numbered references look at loaded pages."""

    loaded = None

    def resolve_xref(self, env, fromdocname, builder, typ, target, node, contnode):
        """The node that a reference becomes."""
        if typ == "numref":
            self.loaded = env = self.loaded or Loaded(env)
        return super().resolve_xref(env, fromdocname, builder, typ, target, node, contnode)


class Loaded:
    """An environment in the time of writing, when pages change no more; its pages are there to look at only."""

    def __init__(self, env):
        self.env, self.get_doctree = env, cache(env.get_doctree)

    def __getattr__(self, name):
        return getattr(self.env, name)
