"""Runs ../vectors.json, or the file of the first argument."""

import base64
import json
import pathlib
import sys

from verify import find_signature_problem, find_standard_webhook_problem


def find_problem(vector):
    headers, body = vector["headers"], base64.b64decode(vector["body_base64"])
    if vector["scheme"] == "signature":
        return find_signature_problem(vector["webhook_id"], vector["bearer"], headers, body)
    return find_standard_webhook_problem(vector["secret"], headers, body, int(vector["now"]))


def result_of(vector):
    try:
        problem = find_problem(vector)
        if problem is None:
            return "genuine"
        return "refused" if problem == vector.get("reason") else problem
    except ValueError:
        return "error"


file = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "../vectors.json"
with open(file, encoding="utf-8") as opened:
    vectors = json.load(opened)
passed = 0
for vector in vectors:
    result = result_of(vector)
    if result == vector["expected"]:
        passed += 1
    else:
        print(f"FAILED {vector['name']}: expected {vector['expected']}, got {result}")
print(f"{passed} of {len(vectors)} vectors passed")
sys.exit(0 if passed == len(vectors) else 1)
