// What must not compile does not: `tsc` fails if one of these mistakes is none.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Perennial, Plan, PerennialProblem, Session, StoredTokens } from "../src/index.js";

/** Never called: only its types are of interest. */
export async function mistakes(client: Perennial, plan: Plan, problem: PerennialProblem, session: Session): Promise<void> {
  // @ts-expect-error: a plan needs a price.
  await client.plans.create({ name: "Pro", slug: "pro", billing_cycle: "monthly" });
  // @ts-expect-error: money is a number.
  await client.plans.create({ name: "Pro", slug: "pro", price: "19.99", billing_cycle: "monthly" });
  // @ts-expect-error: there is no such field.
  await client.subscriptions.update("sub_1", { state: "cancelled" });
  // @ts-expect-error: a read takes no key.
  await client.plans.get("pro", { idempotencyKey: "key" });
  // @ts-expect-error: a list is not sorted so.
  await client.plans.list({ sort: "popularity" });
  // @ts-expect-error: there is no such code.
  assert.ok(problem.code === "no_such_code");
  // @ts-expect-error: it may be null.
  const link: string = plan.href;
  // @ts-expect-error: the API's session has no tokens in it.
  const kept: StoredTokens = session;
  // And what must compile does: aliases, nulls, and a record sent back as it is.
  await client.plans.create({ name: link, slug: "pro", price: 1, billing_cycle: "annual", href: null });
  await client.plans.update(plan.slug, { ...plan, tier: 2 }, { ifMatch: plan });
  for await (const { slug } of client.plans.each({ sort: "-price" })) assert.ok(slug && kept);
}

test("mistakes are found before they are made", () => assert.equal(typeof mistakes, "function"));
