"""The tour, end to end: the README's own program against a running server, and what must be true after it.
It needs the package installed, and the server's place and keys in the environment."""

from __future__ import annotations

import os
import threading
import uuid
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone
from decimal import Decimal
from typing import Any

import perennial_client
from perennial_client import CursorGone, Event, MemoryTokens, Perennial, Problem, StoredTokens
from perennial_client._transport import Reply, Transport
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


def operators(server: Perennial) -> None:
    """A person who manages the organization, from the create to the delete."""
    ada = server.operators.create(name="Ada (Python)", role="support")
    assert server.operators.get(ada.id).name == "Ada (Python)"
    assert server.operators.update(ada.id, role="viewer").role == "viewer"
    assert ada.id in [operator.id for operator in server.operators.list().data]
    assert server.operators.list_sessions(ada.id).data == ()
    assert "#link=lnk_" in server.operators.create_link(ada.id).url
    refused(lambda: server.operators.end_session(ada.id, "ops_unknown"), "not_found")
    server.operators.delete(ada.id)


def feed(server: Perennial) -> None:
    """Followed from the newest event on: every change, once, in order, also from a stored cursor."""
    cursors = [server.feed.list(start="newest").next_cursor or ""]
    for number in range(3):
        server.plans.create(name="Fed", slug=f"fed-{number}", price=number, billing_cycle="monthly")
        server.plans.delete(f"fed-{number}")
    seen: list[Event] = []
    for event in server.events(types=["plan.*"], cursor=cursors[0], on_cursor=cursors.append):
        seen.append(event)
        if len(seen) == 6:
            break
    assert [event.type for event in seen] == ["plan.created", "plan.deleted"] * 3
    assert [event.data["slug"] for event in seen if event.data] == [f"fed-{number // 2}" for number in range(6)]
    assert [event.sequence for event in seen] == sorted({event.sequence for event in seen})
    assert server.feed.get(seen[0].id) == seen[0]
    assert next(server.events(types="plan.deleted", cursor=cursors[0])) == seen[1]
    try:
        next(server.events(cursor="forged"))
    except Problem as problem:
        assert problem.code == "invalid_cursor" and not isinstance(problem, CursorGone)


def webhook_endpoints(server: Perennial) -> None:
    """From the create to the delete. The secret is returned by the create and by a rotation only."""
    made = server.webhook_endpoints.create(url="https://hooks.invalid/py", types=["payment.*"], is_active=False)
    assert made.secret is not None and made.secret.startswith("whsec_") and made.secret not in repr(made)
    assert server.webhook_endpoints.get(made.id).types == ("payment.*",)
    assert made.id in [endpoint.id for endpoint in server.webhook_endpoints.list().data]
    assert server.webhook_endpoints.update(made.id, payload="thin").payload == "thin"
    assert server.webhook_endpoints.rotate_secret(made.id, overlap_seconds=0).secret not in (None, made.secret)
    attempt = server.webhook_endpoints.ping(made.id)
    assert (attempt.outcome, attempt.trigger) == ("failed", "ping")
    assert [listed.id for listed in server.webhook_endpoints.list_attempts(made.id).data] == [attempt.id]
    assert server.webhook_endpoints.seek(made.id, to="newest").id == made.id
    server.webhook_endpoints.update(made.id, is_active=True)
    assert server.webhook_endpoints.retry(made.id, since=datetime(2020, 1, 1, tzinfo=timezone.utc)).queued == 0
    assert not server.webhook_endpoints.list_undelivered(made.id, state="given_up").data
    assert server.webhook_endpoints.delete(made.id).id == made.id


def lost_answers(server: Perennial, app: Perennial) -> None:
    """What was done before the answer was lost is done once."""
    user = app.auth.user().user
    plan = server.plans.create(name="Lossy", slug="lossy", price=5, billing_cycle="monthly")
    subscription = server.subscriptions.create(user_id=user.id, subscription_plan_id=plan.id)
    lossy = losing(server, "/subscription-payments")
    payment = lossy.payments.create(subscription_id=subscription.id, amount=plan.price, currency="USD")
    assert lossy._transport.lost == 1 and server.payments.get(payment.id) == payment
    assert server.payments.update(payment.id, status="completed").date is not None
    assert [own.id for own in app.subscriptions.list().data] == [subscription.id]
    assert [own.id for own in app.payments.list(subscription_id=subscription.id).data] == [payment.id]

    tokens = app.tokens
    assert tokens is not None
    elsewhere = losing(app, "/authentication/refresh-token")
    successor = elsewhere.refresh()
    assert elsewhere._transport.lost == 1
    # Who comes within ten seconds is handed the very same.
    assert app.auth.refresh(refresh_token=tokens.refresh_token).refresh_token == successor.refresh_token

    server.payments.delete(payment.id)
    assert not server.subscriptions.forecast(subscription.id, count=3).data
    server.subscriptions.delete(subscription.id)
    assert server.plans.update("lossy", price=Decimal("5.5"), if_match=plan.etag).price == Decimal("5.50")
    versions = server.plan_versions.list("lossy").data
    assert [(one.version, one.price) for one in versions] == [(2, Decimal("5.5")), (1, Decimal(5))]
    server.plans.delete("lossy")


def one_refresh_for_many(app: Perennial) -> None:
    """Twenty threads hold a token that is refused; all of them go on, in the same session."""
    session = app.auth.user().user.auth_token_status_id
    tokens = app.tokens
    assert tokens is not None
    store = MemoryTokens(StoredTokens("not.a.token", tokens.refresh_token, tokens.expires_at))
    client = app.with_options(tokens=store)
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


def clients_and_organization(server: Perennial) -> None:
    """The credential of a new client is returned once and works; disabled, the client stays disabled."""
    made = server.clients.create(name="Reader", kind="trusted", scopes=["plans:read"])
    assert made.client_id is not None
    with Perennial(os.environ["PERENNIAL_URL"], made.client_id) as reader:
        reader.plans.list()
        refused(reader.clients.list, "insufficient_scope")
    assert server.clients.get(made.id).client_id is None
    assert server.clients.update(made.id, is_active=False).disabled_at is not None
    refused(lambda: server.clients.update(made.id, name="Late"), "client_disabled")
    assert made.id in [client.id for client in server.clients.each(limit=1)]
    assert server.organizations.update(max_sessions=3) == server.organizations.get()
    assert server.organizations.update(max_sessions=None).max_sessions is None
    assert server.organizations.get().mode == "live"
    refused(lambda: server.test_clocks.create(now=datetime(2026, 1, 31, tzinfo=timezone.utc)), "not_a_test_organization")
    refused(server.test_clocks.get, "not_found")
    refused(lambda: server.test_clocks.update(mode="jump"), "not_found")
    refused(server.test_clocks.delete, "not_found")


def many_sessions(app: Perennial, person: dict[str, str]) -> None:
    """One can be ended by another, and all by any."""
    other = app.with_options(tokens=MemoryTokens())
    app.auth.sign_in(**person)
    ended = other.auth.sign_in(**person).user.auth_token_status_id
    assert app.sessions.revoke(ended).revoked == 1
    refused(other.auth.user, "invalid_refresh_token")
    assert other.tokens is None
    assert app.sessions.revoke_all().revoked == 1
    assert app.tokens is None


def revenue_figures(server: Perennial) -> None:
    """Figures, and how far they are."""
    revenue = server.analytics.revenue(interval="day")
    assert len(revenue.data) == 30
    assert revenue.meta.state in ("current", "catching_up", "rebuilding")
    months = (server.analytics.cohorts(), server.analytics.trials(), server.analytics.payments())
    assert [len(figures.data) for figures in months] == [12, 12, 12]
    assert len(server.analytics.plans().data) >= 0
    movements = server.analytics.list_movements(limit=1)
    assert len(movements.data) <= 1 and movements.meta.currency == "USD"


def managed_users(server: Perennial, person: dict[str, str]) -> None:
    """Created, found, updated and erased by the backend, and their sessions ended."""
    made = server.users.create(email=f"made-{person['email']}", first_name="Grace")
    found = server.search.find(q=f"made-{person['email']}").data
    assert [(one.kind, one.id, one.match) for one in found] == [("user", made.id, "exact")]
    assert server.users.update(made.id, is_blocked=True, if_match=made.etag).is_blocked
    assert server.users.get(made.id).first_name == "Grace"
    assert [one.id for one in server.users.list(email_prefix="MADE-").data] == [made.id]
    assert "/portal/enter/plk_" in server.users.create_portal_link(made.id, expires_in=60).url
    assert server.users.delete(made.id).deleted
    app = Perennial(os.environ["PERENNIAL_URL"], os.environ["PERENNIAL_PUBLIC_CLIENT_ID"])
    with app:
        user = app.auth.sign_in(**person).user
        session = server.user_sessions.list(user.id).data[0]
        assert session.id == user.auth_token_status_id
        assert server.user_sessions.revoke(user.id, session.id).revoked
        refused(app.auth.user, "invalid_refresh_token")
        assert server.user_sessions.revoke_all(user.id).revoked >= 0


def billing_records(server: Perennial) -> None:
    """Records of billing. They stay, so each run has its own codes and slugs."""
    run = uuid.uuid4().hex[:12]
    rate = server.tax_rates.create(name="VAT", percentage=19, country="de")
    assert rate.country == "DE" and server.tax_rates.get(rate.id).percentage == 19
    assert not server.tax_rates.update(rate.id, is_active=False).is_active
    assert len(server.tax_rates.list(limit=1).data) == 1
    coupon = server.coupons.create(code=f"TOUR-{run}", percent=Decimal("12.5"), duration="once")
    assert server.coupons.get(coupon.id).percent == Decimal("12.5")
    assert not server.coupons.update(coupon.id, is_active=False).is_active
    assert coupon.id in [each.id for each in server.coupons.list().data]
    meter = server.meters.create(slug=f"calls-{run}", name="Calls", aggregation="sum")
    assert server.meters.update(meter.id, unit="call").unit == "call"
    assert server.meters.get(meter.id).slug == meter.slug
    assert meter.id in [each.id for each in server.meters.list().data]
    user = server.users.create(email=f"billed-{run}@example.com")
    server.plans.create(name="Metered", slug=f"metered-{run}", price=1, billing_cycle="monthly")
    subscription = server.subscriptions.create(user_id=user.id, subscription_plan_id=f"metered-{run}")
    feature = server.features.create(key=f"calls-{run}", name="Calls", kind="quota", meter=meter.slug)
    assert server.features.get(feature.key).meter == meter.id
    assert server.features.update(feature.key, per_unit=True).per_unit
    assert feature.key in [each.key for each in server.features.list(kind="quota").data]
    server.plans.update(f"metered-{run}", entitlements={feature.key: 100})
    event: Any = {"id": "1", "subscription_id": subscription.id, "meter": meter.slug, "value": 2}
    assert server.usage.record(events=[event]).accepted == 1
    assert server.usage.record(events=[event]).duplicates == 1
    quantities = {each.meter_id: each.quantity for each in server.usage.get(subscription.id).meters}
    assert quantities[meter.id] == 2
    assert server.entitlements.get(user.id).entitlements[feature.key]["used"] == 2
    checked = server.entitlements.check(user.id, feature.key, need=98)
    assert checked.allowed and not server.entitlements.check(user.id, feature.key, need=99).allowed
    assert server.entitlements.check_if_changed(user.id, feature.key, checked.etag or "", need=98) is None
    assert server.entitlements.create_token(user.id, ttl_seconds=3600).token.count(".") == 2
    colleague = server.users.create(email=f"colleague-{run}@example.com")
    assert server.members.add(subscription.id, user_id=colleague.id).user_id == colleague.id
    members = server.members.list(subscription.id)
    assert [each.user_id for each in members.data] == [colleague.id]
    assert (members.seats.limit, members.seats.used, members.seats.over_limit) == (None, 2, False)
    assert server.members.remove(subscription.id, colleague.id).user_id == colleague.id
    server.billing_profiles.update(user.id, name="Ada Lovelace", locale="en")
    server.credits.create(user.id, currency="USD", amount=Decimal("5.50"), description="Sorry")
    assert server.credits.list(user.id).data[0].amount == Decimal("5.5")
    assert server.billing_profiles.get(user.id).balances[0].amount == Decimal("5.5")
    server.subscriptions.delete(subscription.id)
    server.plans.delete(f"metered-{run}")
    server.users.delete(user.id)


def invoices(server: Perennial) -> None:
    """Of a billed subscription. Its plan has no fee, so the only ones are those that are created here."""
    run = uuid.uuid4().hex[:12]
    user = server.users.create(email=f"invoiced-{run}@example.com")
    server.plans.create(name="Free", slug=f"free-{run}", price=0, billing_cycle="monthly")
    subscription = server.subscriptions.create(
        user_id=user.id, subscription_plan_id=f"free-{run}", billing={"collection": "manual"}
    )
    lines: list[Any] = [{"description": "Set-up", "quantity": 2, "unit_price": Decimal("49.50")}]
    draft = server.invoices.create(subscription_id=subscription.id, lines=lines)
    assert (draft.kind, draft.status, draft.number, draft.total) == ("one_off", "draft", None, Decimal(99))
    assert server.invoices.update(draft.id, memo="Thank you.", if_match=draft.etag).memo == "Thank you."
    issued = server.invoices.finalize(draft.id)
    assert (issued.status, issued.amount_due) == ("open", Decimal(99))
    assert server.invoices.get(draft.id).number == issued.number
    refused(lambda: server.invoices.update(draft.id, memo="Late"), "invoice_final")
    note = server.credit_notes.create(invoice_id=issued.id, amount=20, reason="Outage")
    assert (note.invoice_number, note.total, note.applied_amount) == (issued.number, Decimal(20), Decimal(20))
    assert server.credit_notes.get(note.id) == note
    assert server.credit_notes.get_if_changed(note.id, note.etag or "") is None
    assert [each.id for each in server.credit_notes.list(invoice_id=issued.id).data] == [note.id]
    refused(lambda: server.invoices.void(issued.id), "has_payments")
    assert server.invoices.mark_uncollectible(issued.id).amount_due == 79
    mistaken = server.invoices.create(subscription_id=subscription.id, lines=lines)
    server.invoices.finalize(mistaken.id)
    assert server.invoices.void(mistaken.id).status == "void"
    dropped = server.invoices.create(subscription_id=subscription.id, lines=lines)
    assert server.invoices.delete(dropped.id).id == dropped.id
    listed = server.invoices.list(subscription_id=subscription.id, status="uncollectible,void").data
    assert [each.id for each in listed] == [mistaken.id, issued.id]
    no_connections(server, subscription.id)
    server.subscriptions.delete(subscription.id)
    server.plans.delete(f"free-{run}")
    server.users.delete(user.id)


def no_connections(server: Perennial, subscription_id: str) -> None:
    """The command line creates connections to payment providers. Without one, nothing is collected."""
    assert server.connections.list().data == ()
    refused(lambda: server.connections.get("con_unknown"), "not_found")
    refused(lambda: server.connections.list_inbox("con_unknown"), "not_found")
    payment = server.payments.create(subscription_id=subscription_id, amount=79, currency="USD")
    refused(lambda: server.payments.collect(payment.id), "required")
    server.payments.delete(payment.id)


class Losing(Transport):
    """A network that loses the first answer of a path, after the server has done what it was asked."""

    def __init__(self, base_url: str, path: str) -> None:
        super().__init__(base_url)
        self.path = path
        self.lost = 0

    def exchange(
        self, method: str, target: str, headers: Mapping[str, str], body: bytes | None, timeout: float
    ) -> Reply:
        reply = super().exchange(method, target, headers, body, timeout)
        if target == self.path and not self.lost:
            self.lost += 1
            raise ConnectionResetError("the answer was lost")
        return reply


class Lossy(Perennial):
    """A client on such a network."""

    _transport: Losing


def losing(client: Perennial, path: str) -> Lossy:
    """The same client with tokens of its own, on such a network."""
    other = client.with_options(tokens=MemoryTokens(client.tokens))
    other.__class__ = Lossy
    assert isinstance(other, Lossy)
    other._transport = Losing(os.environ["PERENNIAL_URL"], path)
    return other


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
    url = os.environ["PERENNIAL_URL"]
    person = {"access_token": os.environ["PERENNIAL_IDENTITY_TOKEN"], "email": os.environ["PERENNIAL_EMAIL"]}
    tour()
    server = Perennial(url, os.environ["PERENNIAL_CLIENT_ID"])
    app = Perennial(url, os.environ["PERENNIAL_PUBLIC_CLIENT_ID"])
    with server, app:
        amounts(server)
        pages(server)
        clients_and_organization(server)
        one_effect_for_one_key(server)
        app.auth.sign_up(access_token=person["access_token"], email=person["email"])
        operators(server)
        feed(server)
        webhook_endpoints(server)
        lost_answers(server, app)
        one_refresh_for_many(app)
        many_sessions(app, person)
        managed_users(server, person)
        revenue_figures(server)
        billing_records(server)
        invoices(server)
    print(f"The tour is done: perennial-client {perennial_client.__version__}, {url}")


if __name__ == "__main__":
    main()
