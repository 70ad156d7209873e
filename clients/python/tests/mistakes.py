"""What must not pass the type checker does not: `mypy --strict` fails if one of these mistakes is none.
Never run: only its types are of interest."""

from __future__ import annotations

from datetime import datetime

from perennial_client import Perennial, Plan, Problem, Session, StoredTokens


def mistakes(client: Perennial, plan: Plan, problem: Problem, session: Session) -> None:
    # A plan needs a price.
    client.plans.create(name="Pro", slug="pro", billing_cycle="monthly")  # type: ignore[call-arg]
    # Money is exact.
    client.plans.create(name="Pro", slug="pro", price=19.99, billing_cycle="monthly")  # type: ignore[arg-type]
    # There is no such word.
    client.subscriptions.update("sub_1", status="finished")  # type: ignore[arg-type]
    # There is no such field.
    client.subscriptions.update("sub_1", state="cancelled")  # type: ignore[call-arg]
    # A price cannot be cleared.
    client.plans.update("pro", price=None)  # type: ignore[arg-type]
    # A read takes no key.
    client.plans.get("pro", idempotency_key="key")  # type: ignore[call-arg]
    # A list is not sorted so.
    client.plans.list(sort="popularity")  # type: ignore[arg-type]
    # There is no such code.
    if problem.code == "no_such_code":  # type: ignore[comparison-overlap]
        return
    # It may be null.
    link: str = plan.href  # type: ignore[assignment]
    # A record is what was answered, and stays so.
    plan.tier = 2  # type: ignore[misc]
    # The API's session has no tokens in it.
    tokens: StoredTokens = session  # type: ignore[assignment]

    # And what must pass does.
    client.plans.create(name=link, slug="pro", price=1, billing_cycle="yearly", href=None, variants=("eu", "us"))
    client.plans.update(plan.slug, tier=plan.tier + 1, if_match=plan.etag)
    ends: datetime | None = next(client.subscriptions.each(sort="-ends_at")).ends_at
    print(ends, tokens)
