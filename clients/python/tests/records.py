"""Records as the API answers them."""

from __future__ import annotations

from typing import Any

WHEN = "2026-01-31T09:30:00.000000Z"


def plan(**changed: Any) -> dict[str, Any]:
    return {
        "id": "plan_01h455vb4pex5vsknk084sn02q",
        "name": "Pro",
        "product_id": None,
        "variants": ["eu"],
        "slug": "pro",
        "price": 19.99,
        "currency": "USD",
        "href": None,
        "billing_cycle": "monthly",
        "description": "",
        "node_quota": 0,
        "features": "",
        "most_popular": False,
        "tier": 0,
        "is_active": True,
        "version": 1,
        "billing": None,
        "entitlements": {},
        "created_at": WHEN,
        "updated_at": WHEN,
        **changed,
    }


def event(**changed: Any) -> dict[str, Any]:
    return {
        "id": "evt_01h455vb4pex5vsknk084sn02q",
        "type": "plan.updated",
        "timestamp": WHEN,
        "sequence": 48213,
        "record_id": "plan_01h455vb4pex5vsknk084sn02q",
        "client_id": None,
        "operator_id": None,
        "request_id": None,
        "test": False,
        "data": {"price": 19.99},
        "before": {"price": 5},
        **changed,
    }


def user() -> dict[str, Any]:
    return {
        "id": "usr_01h455vb4pex5vsknk084sn02q",
        "auth_id": "ada",
        "auth_provider": "https://id.example.com",
        "auth_type": "oidc",
        "auth_token_status_id": "ses_01h455vb4pex5vsknk084sn02q",
        "organization_id": "org_01h455vb4pex5vsknk084sn02q",
        "email": "ada@example.com",
        "username": None,
        "first_name": None,
        "last_name": None,
        "terms": None,
        "notifications": None,
        "role": "user",
        "created_at": WHEN,
        "updated_at": WHEN,
    }


def tokens(generation: int, expires_in: int = 3600) -> dict[str, Any]:
    return {
        "token": f"access-{generation}",
        "token_type": "Bearer",
        "expires_in": expires_in,
        "expires_at": WHEN,
        "refresh_token": f"refresh-{generation}",
        "refresh_expires_in": 2592000,
        "user": user(),
    }
