"""The built book on loopback as a good static host serves it: compressed, with cache headers, several requests at once."""

import gzip
import threading
from contextlib import contextmanager
from functools import lru_cache
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

COMPRESSED = {".html", ".css", ".js", ".svg", ".json"}


@lru_cache
def compressed(path, modified):
    """A file's bytes, gzipped; ``modified`` is part of the key, so that a new build is served anew."""
    return gzip.compress(path.read_bytes(), 9, mtime=0)


class Handler(SimpleHTTPRequestHandler):
    """Files with a version in their address are kept for a year, pages for ten minutes."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        path = Path(self.translate_path(self.path))
        if path.is_dir():
            path = path / "index.html"
        if path.suffix not in COMPRESSED or not path.is_file() or "gzip" not in self.headers.get("Accept-Encoding", ""):
            return super().do_GET()
        body = compressed(path, path.stat().st_mtime_ns)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(path) + "; charset=utf-8")
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def end_headers(self):
        seconds = 31_536_000 if "?" in self.path or self.path.endswith(".woff2") else 600
        self.send_header("Cache-Control", f"public, max-age={seconds}")
        self.send_header("Vary", "Accept-Encoding")
        super().end_headers()

    def log_message(self, *args):
        """Silence: the one who measures prints."""


@contextmanager
def served(folder):
    """Serve ``folder`` on a free port of loopback; gives the address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), lambda *args: Handler(*args, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
