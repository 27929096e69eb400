"""Verifies callbacks. Copy this file: it needs Python 3.9 or newer and no package."""

import base64
import hashlib
import hmac
import re
import time
from typing import Optional

# The maximum difference between `webhook-timestamp` and the clock of this machine.
TOLERANCE_SECONDS = 300


def find_standard_webhook_problem(secret: str, headers, raw_body: bytes, now=None) -> Optional[str]:
    """Checks the headers of Standard Webhooks. Returns what is wrong; None if the callback is genuine and recent.

    Raises ValueError if `secret` is not the signing secret of a webhook (`whsec_...`). `headers` is a mapping such as
    `request.headers` of Flask or Django, or a dict with names in any case. `raw_body` is the body as received. `now` is
    in Unix seconds.
    """
    encoded = secret.removeprefix("whsec_")
    if not re.fullmatch("[A-Za-z0-9+/]+={0,2}", encoded):
        raise ValueError("The secret is not whsec_ and base64.")
    key = base64.b64decode(encoded)
    _require_raw(raw_body)
    message_id = _header(headers, "webhook-id")
    timestamp = _header(headers, "webhook-timestamp")
    signatures = _header(headers, "webhook-signature")
    if not message_id:
        return "the webhook-id header is missing"
    if not timestamp:
        return "the webhook-timestamp header is missing"
    if not signatures:
        return "the webhook-signature header is missing"
    if not re.fullmatch("[0-9]{1,12}", timestamp):
        return "the webhook-timestamp header is not a Unix timestamp"
    age = (time.time() if now is None else now) - int(timestamp)
    if age > TOLERANCE_SECONDS:
        return "the webhook-timestamp header is too old"
    if age < -TOLERANCE_SECONDS:
        return "the webhook-timestamp header is in the future"
    signed = f"{message_id}.{timestamp}.".encode(errors="replace") + raw_body
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    # For 24 hours after a new secret was made, there are two signatures.
    is_genuine = any(_is_equal(signature, expected) for signature in signatures.split(" "))
    return None if is_genuine else "the webhook-signature header is wrong"


def find_signature_problem(webhook_id: str, bearer: str, headers, raw_body: bytes) -> Optional[str]:
    """Checks the headers `Authorization` and `Signature`. Returns what is wrong; None if both are right.

    Raises ValueError if `webhook_id` or `bearer` is empty. The key of `Signature` is the webhook's id, which is not
    secret: only `bearer` authenticates the caller. It is the webhook's `secret` or, if it has none, the callback token
    of the account.
    """
    if not webhook_id or not bearer:
        raise ValueError("The webhook id or the bearer is empty.")
    _require_raw(raw_body)
    authorization, signature = _header(headers, "authorization"), _header(headers, "signature")
    if not authorization:
        return "the Authorization header is missing"
    if not _is_equal(authorization, f"Bearer {bearer}"):
        return "the Authorization header is wrong"
    if not signature:
        return "the Signature header is missing"
    expected = hmac.new(webhook_id.encode(), raw_body, hashlib.sha256).hexdigest()
    return None if _is_equal(signature, expected) else "the Signature header is wrong"


def _header(headers, name: str) -> str:
    """Returns the header, whatever the case of its name; an empty text if it is missing."""
    return headers.get(name) or next((value for key, value in headers.items() if key.lower() == name), "")


def _require_raw(body):
    if not isinstance(body, (bytes, bytearray)):
        raise TypeError("raw_body is not the raw body: use request.get_data() of Flask, request.body of Django.")


def _is_equal(actual: str, expected: str) -> bool:
    """Compares in constant time."""
    return hmac.compare_digest(actual.encode(errors="replace"), expected.encode())
