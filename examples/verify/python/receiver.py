"""Receives callbacks. It answers 200 to genuine ones, and 401 with the reason to others. See ../README.md for its settings."""

import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from verify import find_signature_problem, find_standard_webhook_problem

SECRET, WEBHOOK_ID, BEARER = (os.environ.get(name, "") for name in ("SECRET", "WEBHOOK_ID", "BEARER"))
if not SECRET and not (WEBHOOK_ID and BEARER):
    raise SystemExit("Set SECRET, or WEBHOOK_ID and BEARER.")


def find_problem(headers, body):
    if SECRET:
        return find_standard_webhook_problem(SECRET, headers, body)
    return find_signature_problem(WEBHOOK_ID, BEARER, headers, body)


find_problem({}, b"")  # A malformed secret ends the program now.

MAX_BYTES = 20_971_520


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.read_body()
        problem = "the body is too large or malformed" if body is None else find_problem(self.headers, body)
        if problem is None:
            print("genuine", body.decode(errors="replace"), flush=True)
        text = (problem or "").encode()
        self.send_response(401 if problem else 200)
        self.send_header("content-type", "text/plain")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def read_body(self):
        """Python's server doesn't decode chunks, which proxies may send. A WSGI or ASGI server does."""
        if "chunked" not in self.headers.get("transfer-encoding", "").lower():
            length = self.headers.get("content-length", "0")
            return self.rfile.read(int(length)) if length.isdecimal() and int(length) <= MAX_BYTES else None
        body = b""
        try:
            while size := int(self.rfile.readline().split(b";")[0], 16):
                if size < 0 or len(body) + size > MAX_BYTES:
                    return None
                body += self.rfile.read(size)
                self.rfile.readline()
        except ValueError:
            return None
        while self.rfile.readline().strip():
            pass  # The trailers.
        return body


server = ThreadingHTTPServer(("", int(os.environ.get("PORT", "4000"))), Receiver)
print(f"receiving at http://localhost:{server.server_port}/", flush=True)
server.serve_forever()
