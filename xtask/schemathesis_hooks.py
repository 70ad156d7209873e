"""Provides generated requests with existing records and signed-in users.

There is no endpoint that makes users, so a generated `user_id` would never exist and no request would get past it. A
reference of the right form is replaced by one that exists; a malformed one is left, since refusing it is what is tested.
If a user's token is required, a user signs in first: each call gets a new session, because the previous call
may have ended it. Every other one keeps what was generated.
"""

import itertools
import json
import os
import re
import urllib.error
import urllib.request

import schemathesis

API = os.environ["SCHEMATHESIS_API"]
CLIENT_ID = os.environ["SCHEMATHESIS_CLIENT_ID"]
USER_ID = os.environ["SCHEMATHESIS_USER_ID"]
EMAIL = os.environ["SCHEMATHESIS_EMAIL"]
IDENTITY = os.environ["SCHEMATHESIS_IDENTITY"]
SLUG = os.environ["SCHEMATHESIS_SLUG"]

PEOPLE = itertools.cycle([True, True, False])


def post(path, body):
    request = urllib.request.Request(
        API + path, json.dumps(body).encode(), {"client-id": CLIENT_ID, "content-type": "application/json"}
    )
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=30) as answer:
        return json.load(answer)["data"]


def sign_in():
    """The tokens of a user who has just signed in, or signed up again after an erasure."""
    person = {"access_token": IDENTITY, "email": EMAIL}
    try:
        return post("/authentication/sign-in", person)
    except urllib.error.HTTPError as refusal:
        if refusal.code != 404:
            raise
        return post("/authentication/sign-up", person)


PLAN_ID = post("/subscription-plans", {"name": "Permanent", "slug": SLUG, "price": 1, "billing_cycle": "monthly"})["id"]
SUBSCRIPTION_ID = post("/subscriptions", {"user_id": USER_ID, "subscription_plan_id": PLAN_ID})["id"]

EXISTING = {
    "user_id": ("usr_[0-7][0-9a-hjkmnp-tv-z]{25}", USER_ID),
    "subscription_plan_id": (".*", PLAN_ID),
    "subscription_id": ("sub_[0-7][0-9a-hjkmnp-tv-z]{25}", SUBSCRIPTION_ID),
    "access_token": (".+", IDENTITY),
    "email": (r"(?=.{3,320}\Z)\s*[^@\s]+@[^@\s]+\s*", EMAIL),
}


@schemathesis.hook
def map_body(context, body):
    if not isinstance(body, dict):
        return body
    return {name: existing(name, value) for name, value in body.items()}


def existing(name, value):
    form, replacement = EXISTING.get(name, (None, None))
    if form is None or not isinstance(value, str):
        return value
    return replacement if re.fullmatch(form, value, re.DOTALL) else value


def leaves_out(case):
    """Whether something is missing on purpose: then the test needs its absence, and a signed-in user would hide it."""
    data = getattr(case.meta.phase, "data", None) if case.meta else None
    return "missing" in (getattr(data, "description", None) or "").lower()


@schemathesis.hook
def before_call(context, case, kwargs):
    path = case.operation.path
    refreshes = path == "/authentication/refresh-token"
    has_token = "authorization" in (case.headers or {})
    if not (refreshes or has_token) or leaves_out(case) or not next(PEOPLE):
        return
    held = sign_in()
    if refreshes:
        if isinstance(case.body, dict) and isinstance(case.body.get("refresh_token"), str):
            case.body["refresh_token"] = held["refresh_token"]
        return
    case.headers["authorization"] = f"Bearer {held['token']}"
    if path.endswith("/{auth_id}"):
        case.path_parameters["auth_id"] = held["user"]["auth_id"]
    if path.endswith("/revoke/{id}"):
        case.path_parameters["id"] = held["user"]["auth_token_status_id"]
