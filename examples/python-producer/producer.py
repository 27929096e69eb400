"""Pushes a delivery report with the official BullMQ client for Python, without any job options."""

import asyncio
import os
import sys
import uuid

from bullmq import Queue


async def main():
    message_id = sys.argv[1] if len(sys.argv) > 1 else f"{uuid.uuid4()}:1"
    data = {
        "account_id": os.environ.get("ACCOUNT_ID"),
        "webhook_id": os.environ.get("WEBHOOK_ID"),
        "payload": {
            "id": message_id,
            "mobile": "918921269000",
            "status": "DELIVRD",
            "credits": "2.0000",
            "units": 2,
        },
    }
    queue = Queue(
        "sms-events",
        {
            "connection": os.environ.get("REDIS_URL", "redis://localhost:6379"),
            "prefix": os.environ.get("QUEUE_PREFIX", "ringback"),
        },
    )
    try:
        # An id that is not known is left out, not sent as null.
        await queue.add("sms:message:status", {name: value for name, value in data.items() if value})
    finally:
        await queue.close()
    print(f"pushed {message_id}")


asyncio.run(main())
