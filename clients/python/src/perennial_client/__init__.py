"""A client for Perennial: subscriptions, plans, payments, and the sessions of the people who subscribe."""

from ._client import Perennial
from ._entitlement_entries import CachedEntitlements, EntitlementDecision
from ._entitlements import EntitlementCache
from ._errors import CursorGone, Fault, PerennialError, Problem, SignedOut, UnexpectedAnswer, ConnectionFailed
from ._generated.operations import MemberPage, MovementPage
from ._generated.types import *  # noqa: F403
from ._generated.types import __all__ as _records
from ._generated.version import VERSION as __version__
from ._pages import Figures, Page
from ._retries import Retries
from ._session import MemoryTokens, StoredTokens, TokenStore
from ._webhooks import InvalidWebhook, verify_webhook
from ._wire import UNSET, Unset

__all__ = [
    "UNSET",
    "CachedEntitlements",
    "CursorGone",
    "EntitlementCache",
    "EntitlementDecision",
    "Fault",
    "InvalidWebhook",
    "MemberPage",
    "MemoryTokens",
    "MovementPage",
    "Figures",
    "Page",
    "Perennial",
    "PerennialError",
    "Problem",
    "Retries",
    "SignedOut",
    "StoredTokens",
    "TokenStore",
    "UnexpectedAnswer",
    "ConnectionFailed",
    "Unset",
    "__version__",
    "verify_webhook",
]
__all__ += _records
