"""What Binder's repo2docker does with the committed files, without a container: a fresh environment from binder/, then JupyterLab.

Run by ``make test-binder``. repo2docker starts from an environment of its own that already has a JupyterLab; here it is an
empty one, so that whatever binder/ forgot is missing.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def python_of(folder):
    """The Python that binder/runtime.txt names, or this one where that is not installed."""
    name = (folder / "binder" / "runtime.txt").read_text().strip().replace("-", "")
    found = shutil.which(name)
    if not found:
        print(f"{name}, which Binder would use, is not installed here; {sys.executable} takes its place")
    return found or sys.executable


def main():
    with tempfile.TemporaryDirectory() as temporary:
        clone, environment = Path(temporary) / "clone", Path(temporary) / "environment"
        subprocess.run(["git", "clone", "-q", ROOT, clone], check=True)
        subprocess.run([python_of(clone), "-m", "venv", environment], check=True)
        begun = time.monotonic()
        install = [environment / "bin" / "pip", "install", "-q", "--disable-pip-version-check", "-r", "binder/requirements.txt"]
        subprocess.run(install, cwd=clone, check=True)
        print(f"Installed what binder/requirements.txt asks for in {time.monotonic() - begun:.0f} s")
        variables = {**os.environ, "TOYATTN_LAB_ENVIRONMENT": str(environment)}  # whose fixture runs binder/postBuild
        tests = subprocess.run([sys.executable, "-m", "pytest", clone / "tests" / "test_live.py", "-k", "test_lab"], cwd=clone, env=variables)
    sys.exit(tests.returncode)


if __name__ == "__main__":
    main()
