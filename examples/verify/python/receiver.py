"""Receives callbacks. It answers 200 to genuine ones and 401 to others. See ../README.md for its settings."""

import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from verify import verify_signature, verify_standard_webhook

SECRET, WEBHOOK_ID, BEARER = (os.environ.get(name, "") for name in ("SECRET", "WEBHOOK_ID", "BEARER"))
if not SECRET and not (WEBHOOK_ID and BEARER):
    raise SystemExit("Set SECRET, or WEBHOOK_ID and BEARER.")


def is_genuine(headers, body):
    if SECRET:
        return verify_standard_webhook(SECRET, headers, body)
    return verify_signature(WEBHOOK_ID, BEARER, headers, body)


is_genuine({}, b"")  # A malformed secret ends the program now.


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        # Callbacks have a Content-Length.
        length = self.headers.get("content-length", "")
        is_small = length.isdecimal() and int(length) <= 20_971_520
        body = self.rfile.read(int(length)) if is_small else b""
        genuine = is_small and is_genuine(self.headers, body)
        if genuine:
            print("genuine", body.decode(), flush=True)
        self.send_response(200 if genuine else 401)
        self.send_header("content-length", "0")
        self.end_headers()


server = ThreadingHTTPServer(("", int(os.environ.get("PORT", "4000"))), Receiver)
print(f"receiving at http://localhost:{server.server_port}/", flush=True)
server.serve_forever()
