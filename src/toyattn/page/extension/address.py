"""Where the book's repository and its site are: buttons that lead there, absolute links. What is not known is left out."""

import re
import subprocess
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from sphinx.errors import ConfigError

BINDER = "https://mybinder.org"
_REMOTE = re.compile(r"(?:https?://(?:[^/@]+@)?|(?:ssh://)?git@)(github\.com|gitlab\.com)[:/]([\w.-]+)/([\w.-]+?)(?:\.git)?/?")


class Repository(NamedTuple):
    """A repository on a host that Binder and the theme's buttons know, and the branch that is published."""

    host: str
    owner: str
    name: str
    branch: str = "main"

    @property
    def url(self):
        """Its address for a reader."""
        return f"https://{self.host}/{self.owner}/{self.name}"


def find_repository(folder, environ):
    """The Repository that holds ``folder``, or None.

    GitHub's own builds say it (GITHUB_REPOSITORY and the like); elsewhere git's remote ``origin`` does, if ``folder`` is the root
    of a clone from github.com or gitlab.com.
    """
    if name := environ.get("GITHUB_REPOSITORY"):
        found = read_remote(f"{environ.get('GITHUB_SERVER_URL', 'https://github.com')}/{name}")
        kind, _, branch = environ.get("GITHUB_REF", "").partition("/heads/")
        return found._replace(branch=branch) if found and branch and kind == "refs" else found
    return read_remote(origin(folder))


def read_remote(address):
    """The Repository that a git remote's address (https or ssh) names, or None."""
    match = _REMOTE.fullmatch(address)
    return Repository(*match.groups()) if match else None


def origin(folder):
    """The address of git's remote ``origin``; empty without git, clone or remote."""
    if not Path(folder, ".git").exists():
        return ""
    try:
        told = subprocess.run(["git", "-C", folder, "config", "--get", "remote.origin.url"], capture_output=True, text=True)
    except FileNotFoundError:
        return ""
    return told.stdout.strip()


def find_site(repository, environ):
    """The site's absolute address with a slash at its end, or an empty string: SITE_URL, else that of GitHub Pages.

    Raises ConfigError for a SITE_URL that is no plain web address.
    """
    if told := environ.get("SITE_URL"):
        parts = urlsplit(told)
        if parts.scheme not in ("http", "https") or not parts.netloc or parts.query or parts.fragment:
            raise ConfigError(f"SITE_URL: wanted an address such as https://example.org/book/, got {told!r}")
        return told.rstrip("/") + "/"
    if repository is None or repository.host != "github.com":
        return ""
    host = f"{repository.owner.lower()}.github.io"
    return f"https://{host}/" if repository.name.lower() == host else f"https://{host}/{repository.name}/"


def theme_options(repository, launch):
    """What sphinx-book-theme is to know of the repository; ``launch`` are the launch buttons set elsewhere."""
    known = repository is not None
    return {
        "repository_url": repository.url if known else "",
        "repository_branch": repository.branch if known else "",
        "path_to_docs": "",
        "use_repository_button": known,
        "use_issues_button": known,
        "use_edit_page_button": known,
        "launch_buttons": {**launch, "binderhub_url": BINDER, "notebook_interface": "jupyterlab"} if known else {},
    }
