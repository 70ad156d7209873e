"""Gives generated bodies something to refer to.

There is no endpoint that makes users, so a generated `user_id` would never exist and no request would get past it. A
reference of the right form is replaced by one that exists; a malformed one is left, since refusing it is what is tested.
"""

import json
import os
import re
import urllib.request

import schemathesis

API = os.environ["SCHEMATHESIS_API"]
CLIENT_ID = os.environ["SCHEMATHESIS_CLIENT_ID"]
USER_ID = os.environ["SCHEMATHESIS_USER_ID"]


def create(path, body):
    request = urllib.request.Request(
        API + path, json.dumps(body).encode(), {"client-id": CLIENT_ID, "content-type": "application/json"}
    )
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=10) as answer:
        return json.load(answer)["data"]["id"]


PLAN_ID = create(
    "/subscription-plans", {"name": "Kept", "slug": "kept-plan", "price": 1, "billing_cycle": "monthly"}
)
SUBSCRIPTION_ID = create("/subscriptions", {"user_id": USER_ID, "subscription_plan_id": PLAN_ID})

EXISTING = {
    "user_id": ("usr", USER_ID),
    "subscription_plan_id": (None, PLAN_ID),
    "subscription_id": ("sub", SUBSCRIPTION_ID),
}


@schemathesis.hook
def map_body(context, body):
    if not isinstance(body, dict):
        return body
    return {name: existing(name, value) for name, value in body.items()}


def existing(name, value):
    prefix, replacement = EXISTING.get(name, (None, None))
    if replacement is None or not isinstance(value, str):
        return value
    well_formed = prefix is None or re.fullmatch(f"{prefix}_[0-7][0-9a-hjkmnp-tv-z]{{25}}", value)
    return replacement if well_formed else value
