"""Webhooks, verified before anything in them is believed: Standard Webhooks 1.0, `v1` (HMAC-SHA256) and `v1a` (Ed25519)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ._errors import PerennialError
from ._generated.types import Event
from ._wire import decode


class InvalidWebhook(PerennialError):
    """A request that was not signed with one of the keys, is too old, or is not whole. Respond with 400."""


def verify_webhook(
    body: bytes | str,
    headers: Mapping[str, str],
    keys: str | Sequence[str],
    *,
    tolerance: float = 300.0,
    now: float | None = None,
) -> Event:
    """The event of a webhook. `body` is the request's body as it was received: parsed and written again, it may differ.
    `keys` are the endpoint's secrets (`whsec_…`) or public keys (`whpk_…`); during a rotation, give the old and the new
    one. The timestamp may differ from now by `tolerance` seconds. Public keys need the package `cryptography`."""
    content = verified(body, headers, keys, tolerance=tolerance, now=now)
    try:
        return Event.read(decode(content))
    except (ValueError, KeyError, TypeError) as failure:
        raise InvalidWebhook("The body is signed and is not an event.") from failure


def verified(
    body: bytes | str, headers: Mapping[str, str], keys: str | Sequence[str], *, tolerance: float, now: float | None
) -> bytes:
    """The body, if one of its signatures is by one of the keys."""
    lines = {name.lower(): value for name, value in headers.items()}
    for name in ("webhook-id", "webhook-timestamp", "webhook-signature"):
        if not lines.get(name):
            raise InvalidWebhook(f"The header {name} is missing.")
    timestamp = lines["webhook-timestamp"]
    age = (time.time() if now is None else now) - int(timestamp) if re.fullmatch(r"[0-9]{1,12}", timestamp) else None
    if age is None or abs(age) > tolerance:
        raise InvalidWebhook(f"The timestamp {timestamp} is not within {tolerance:g} seconds of now.")
    content = body.encode() if isinstance(body, str) else body
    signed = f"{lines['webhook-id']}.{timestamp}.".encode() + content
    for key in [_parsed(text) for text in ([keys] if isinstance(keys, str) else keys)]:
        for signature in lines["webhook-signature"].split(" "):
            version, _, encoded = signature.partition(",")
            if version == key.version and _matches(key, encoded, signed):
                return content
    raise InvalidWebhook("No signature matches: use the secret of this endpoint, and the body as it was received.")


@dataclass(frozen=True)
class _Key:
    version: str
    value: bytes


def _parsed(text: str) -> _Key:
    kind, _, encoded = text.strip().partition("_")
    value = _decoded(encoded)
    if kind not in ("whsec", "whpk") or not value:
        raise ValueError("A key of webhooks is `whsec_` or `whpk_` and base64.")
    return _Key("v1" if kind == "whsec" else "v1a", value)


def _decoded(text: str) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None


def _matches(key: _Key, encoded: str, signed: bytes) -> bool:
    signature = _decoded(encoded)
    if signature is None:
        return False
    if key.version == "v1":
        return hmac.compare_digest(hmac.new(key.value, signed, hashlib.sha256).digest(), signature)
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError as failure:
        raise RuntimeError("Signatures of the kind `v1a` need a package: pip install cryptography.") from failure
    try:
        Ed25519PublicKey.from_public_bytes(key.value).verify(signature, signed)
    except InvalidSignature:
        return False
    return True
