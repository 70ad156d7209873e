"""The tour, end to end: the README's own program against a running server, and what must be true after it.
It needs the package installed, and the server's place and keys in the environment."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any

import perennial_client
from perennial_client import MemoryTokens, Perennial, Problem, StoredTokens
from .readme import README, program

def tour() -> None:
    """The README."""
    names: dict[str, Any] = {}
    exec(compile(program(), str(README), "exec"), names)
    server: Perennial = names["server"]
    assert names["payment"].status == "completed" and names["payment"].date is not None
    assert names["cancelled"].status == "cancelled" and names["cancelled"].ends_at == names["seen"].renews_at
    # The account is gone, what was paid is not, and the subscription has ended.
    assert server.payments.get(names["payment"].id) == names["payment"]
    assert not server.subscriptions.get(names["subscription"].id).has_access
    again = {"access_token": names["identity"], "email": names["email"]}
    refused(lambda: names["laptop"].auth.sign_in(**again), "user_not_found")
    refused(lambda: server.plans.delete("pro"), "plan_in_use")
    server.payments.delete(names["payment"].id)
    server.subscriptions.delete(names["subscription"].id)
    server.plans.delete("pro")


def amounts(server: Perennial) -> None:
    """To the last digit that the API keeps, and to the last it takes."""
    most, dinar, yen = ("most", "999999999998.99", "USD"), ("dinar", "0.001", "KWD"), ("yen", "1200", "JPY")
    for slug, price, currency in (most, dinar, yen):
        made = server.plans.create(
            name=slug, slug=slug, price=Decimal(price), currency=currency, billing_cycle="yearly", tier=7
        )
        assert made.price == Decimal(price), made
        assert server.plans.get(slug) == made


def pages(server: Perennial) -> None:
    """Three plans, one at a time."""
    assert [plan.slug for plan in server.plans.each(tier=7, limit=1)] == ["dinar", "most", "yen"]
    assert len(server.plans.list(tier=7, limit=2).data) == 2
    for plan in server.plans.each(tier=7):
        server.plans.delete(plan.slug)
    assert server.plans.list(tier=7).data == ()


def one_effect_for_one_key(server: Perennial) -> None:
    """Sixteen threads, one key, one plan."""

    def create(_: int) -> str:
        made = server.plans.create(
            name="Once", slug="once", price=1, billing_cycle="monthly", idempotency_key="tour-once"
        )
        return made.id

    with ThreadPoolExecutor(16) as threads:
        assert len(set(threads.map(create, range(16)))) == 1
    server.plans.delete("once")


def one_refresh_for_many(url: str, public_id: str) -> None:
    """Twenty threads hold a token that is refused; all of them go on, in the same session."""
    client = Perennial(url, public_id)
    client.auth.sign_up(access_token=os.environ["PERENNIAL_IDENTITY_TOKEN"], email=os.environ["PERENNIAL_EMAIL"])
    session = client.auth.user().user.auth_token_status_id
    tokens = client.tokens
    assert tokens is not None
    client = client.with_options(
        tokens=MemoryTokens(StoredTokens("not.a.token", tokens.refresh_token, tokens.expires_at))
    )
    start = threading.Barrier(20)

    def ask(_: int) -> str:
        start.wait()
        return client.auth.user().user.auth_token_status_id

    with ThreadPoolExecutor(20) as threads:
        assert set(threads.map(ask, range(20))) == {session}
    newest = client.tokens
    assert newest is not None and newest.refresh_token != tokens.refresh_token
    client.sessions.logout()
    refused(client.auth.user, "token_required")


def refused(act: Any, code: str) -> None:
    """It must be, and for this reason."""
    try:
        act()
    except Problem as problem:
        assert problem.code == code, problem
    else:
        raise AssertionError(f"it was not refused with {code}")


def main() -> None:
    assert "site-packages" in perennial_client.__file__, "the tour is for the package as it is installed"
    url, public_id = os.environ["PERENNIAL_URL"], os.environ["PERENNIAL_PUBLIC_CLIENT_ID"]
    tour()
    with Perennial(url, os.environ["PERENNIAL_CLIENT_ID"]) as server:
        amounts(server)
        pages(server)
        one_effect_for_one_key(server)
    one_refresh_for_many(url, public_id)
    print(f"The tour is done: perennial-client {perennial_client.__version__}, {url}")


if __name__ == "__main__":
    main()
