"""Verifies a callback by `Signature` and `Authorization`, with nothing to install."""

import hashlib
import hmac
import os
import sys


def is_genuine(raw_body: bytes, headers, webhook_id: str, bearer: str) -> bool:
    """`raw_body`: the bytes as received. `headers`: a mapping such as `request.headers` of Flask or Django."""

    def is_same(given, expected):
        return hmac.compare_digest((given or "").encode(), expected.encode())

    signature = hmac.new(webhook_id.encode(), raw_body, hashlib.sha256).hexdigest()
    return is_same(headers.get("Authorization"), f"Bearer {bearer}") and is_same(headers.get("Signature"), signature)


# As a program: the body on stdin, the two headers as arguments, WEBHOOK_ID and BEARER in the environment.
if __name__ == "__main__":
    given = {"Authorization": sys.argv[1], "Signature": sys.argv[2]}
    genuine = is_genuine(sys.stdin.buffer.read(), given, os.environ["WEBHOOK_ID"], os.environ["BEARER"])
    print("genuine" if genuine else "not genuine")
    sys.exit(0 if genuine else 1)
