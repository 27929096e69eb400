"""Creates webhooks, lists all pages, rotates a signing secret, sends a delivery again and verifies its callback."""

import base64
import hashlib
import hmac
import os
import time

from ringback_client import ApiClient, Configuration, DeliveriesApi, Event, EventsApi, SigningApi, WebhookInput, WebhooksApi

base_url = os.environ["BASE_URL"]
client = ApiClient(Configuration(host=base_url, access_token=os.environ["TOKEN"]))
platform = ApiClient(Configuration(host=base_url, access_token=os.environ["PLATFORM_TOKEN"]))
webhooks, deliveries = WebhooksApi(client), DeliveriesApi(client)

# Create.
created = [
    webhooks.create_webhook(WebhookInput(name=f"python {number}", uri=os.environ["CALLBACK_URI"], status=1)).data
    for number in range(3)
]
webhook = created[0]

# List all pages.
listed, page, last_page = [], 1, 1
while page <= last_page:
    answer = webhooks.list_webhooks(page=page, per_page=2, filter_name="python")
    listed += [one.id for one in answer.data]
    last_page, page = answer.meta.last_page, page + 1
assert sorted(listed) == sorted(one.id for one in created), listed

# Rotate the signing secret.
secret = SigningApi(client).rotate_signing_secret(webhook.id).data.secret

# Push an event, as the platform does, and wait for its delivery.
EventsApi(platform).push_events(
    [Event(event="sms:message:status", webhook_id=webhook.id, payload={"id": "python-1", "status": "DELIVRD"})]
)


def wait_for(look):
    for _ in range(600):
        found = look()
        if found:
            return found
        time.sleep(0.1)
    raise TimeoutError


delivery_id = wait_for(
    lambda: deliveries.list_deliveries(filter_webhook_id=webhook.id, filter_status=["delivered", "failed"]).data
)[0].id

# Send it again.
deliveries.resend_delivery(delivery_id)


def attempt_again():
    delivery = deliveries.show_delivery(delivery_id).data
    return delivery.attempts[1] if delivery.state == "delivered" and len(delivery.attempts) == 2 else None


# Verify: a receiver does this with the headers and the raw body that it gets.
request = wait_for(attempt_again).request
body, headers = request.body.encode(), request.headers
signature = hmac.new(str(webhook.id).encode(), body, hashlib.sha256).hexdigest()
assert hmac.compare_digest(signature, headers["Signature"])
signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
digest = hmac.new(base64.b64decode(secret.removeprefix("whsec_")), signed, hashlib.sha256).digest()
assert f"v1,{base64.b64encode(digest).decode()}" in headers["webhook-signature"].split(" ")
print(f"created {len(created)}, listed {len(listed)}, rotated, resent, verified")
