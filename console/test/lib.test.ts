// The pure functions of `src/lib`.

import assert from "node:assert/strict";
import { test } from "node:test";
import { csv, csvCell } from "../src/lib/csv.js";
import { differences } from "../src/lib/differences.js";
import { money, plural, times } from "../src/lib/money.js";
import { nested } from "../src/lib/nested.js";
import { parsePlace, to } from "../src/lib/router.js";
import { canChangePlan, nextOfPayment, nextOfSubscription, reasonWithoutAccess } from "../src/lib/statuses.js";
import { day, fromInput, moment, toInput } from "../src/lib/time.js";
import { eventWords, pageOf, plain, planLabel, words } from "../src/lib/words.js";

test("text that a spreadsheet would run is quoted with an apostrophe", () => {
  for (const text of ["=1+1", "+1", "-1", "@sum", "\tx", "\rx"]) {
    assert.ok(csvCell(text).replace(/^"/, "").startsWith("'"), text);
  }
  assert.equal(csvCell(-5), "-5");
  assert.equal(csvCell("a=b"), "a=b");
});

test("a CSV file has a header, and quotes where they are needed", () => {
  assert.equal(csv(["a", "b"], [["x,y", 'say "hi"'], [null, 3]]), 'a,b\r\n"x,y","say ""hi"""\r\n,3\r\n');
});

test("one is singular", () => {
  assert.equal(plural(1, "customer"), "1 customer");
  assert.equal(plural(0, "customer"), "0 customers");
  assert.equal(plural(1234, "customer"), "1,234 customers");
});

test("plans with the same name have different labels", () => {
  assert.equal(planLabel({ name: "Pro", billing_cycle: "monthly" }), "Pro, monthly");
  assert.equal(planLabel({ name: "Pro", billing_cycle: "yearly" }), "Pro, yearly");
});

test("money has the decimals of its currency", () => {
  assert.equal(money(1234.5, "USD"), "$1,234.50");
  assert.equal(money(1234, "JPY"), "¥1,234");
  assert.equal(money(1.234, "KWD").replace(/\u00a0/g, " "), "KWD 1.234");
});

test("prices are multiplied exactly", () => {
  assert.equal(times(0.1, 3, "USD"), 0.3);
  assert.equal(times(19.99, 1_000_000, "USD"), 19_990_000);
  assert.equal(times(1.005, 3, "KWD"), 3.015);
});

test("times are UTC with the zone", () => {
  assert.equal(day("2026-11-24T23:59:59.000000Z"), "Nov 24, 2026");
  assert.equal(moment("2026-11-24T00:00:00.000000Z"), "Nov 24, 2026, 12:00:00 AM UTC");
  assert.equal(fromInput(toInput("2026-11-24T01:02:03.000000Z")), "2026-11-24T01:02:03Z");
  assert.equal(fromInput("2026-11-24T01:02"), "2026-11-24T01:02:00Z");
  assert.equal(fromInput(""), null);
});

test("a path is a list of decoded segments", () => {
  const { segments, query } = parsePlace("/console/plans/a%20b", "?status=active");
  assert.deepEqual(segments, ["plans", "a b"]);
  assert.equal(query.get("status"), "active");
  assert.deepEqual(parsePlace("/console/%zz", "").segments, ["%zz"]);
  assert.equal(to("plans", "a/b"), "/console/plans/a%2Fb");
});

test("statuses lead where the API lets them", () => {
  assert.ok(nextOfSubscription({ status: "active", billing: null }).includes("cancelled"));
  assert.deepEqual(nextOfSubscription({ status: "expired", billing: null }), []);
  assert.deepEqual(nextOfSubscription({ status: "active", billing: {} }), ["paused", "cancelled", "expired"]);
  assert.deepEqual(nextOfSubscription({ status: "unpaid", billing: {} }), ["expired"]);
  assert.ok(canChangePlan({ status: "cancelled", billing: null }) && !canChangePlan({ status: "cancelled", billing: {} }));
  assert.deepEqual(nextOfPayment("refunded"), []);
});

test("the reason for no access is named", () => {
  const base = { status: "active" as const, is_active: true, has_access: false, starts_at: "2026-01-01T00:00:00Z", ends_at: null };
  const now = Date.parse("2026-06-01T00:00:00Z");
  assert.equal(reasonWithoutAccess({ ...base, has_access: true }, now), undefined);
  assert.equal(reasonWithoutAccess({ ...base, starts_at: "2027-01-01T00:00:00Z" }, now), "it has not started");
  assert.equal(reasonWithoutAccess({ ...base, ends_at: "2026-02-01T00:00:00Z" }, now), "it has ended");
  assert.equal(reasonWithoutAccess({ ...base, status: "paused" }, now), "the status is paused");
  assert.equal(reasonWithoutAccess({ ...base, is_active: false }, now), "it is not active");
});

test("names are words", () => {
  assert.equal(words("past_due"), "Past due");
  assert.equal(words("external_subscription_id"), "External subscription ID");
  assert.equal(eventWords("subscription.updated", "subscription"), "Updated");
  assert.equal(eventWords("session.revoked", "user"), "Session revoked");
  assert.equal(pageOf("sub_1"), "subscriptions");
  assert.equal(plain(null), "—");
});

test("members of nested objects are sent at their place", () => {
  assert.deepEqual(nested({ a: 1, "b/c": null, "b/d/e": [2] }), { a: 1, b: { c: null, d: { e: [2] } } });
});

test("an event shows the members of nested objects that changed", () => {
  const of = (before: object, data: object) => differences({ before, data } as unknown as Parameters<typeof differences>[0]);
  assert.deepEqual(of({ a: 1, billing: { x: 1, y: null } }, { a: 1, billing: { x: 1, y: { z: 2 } } }), [{ field: "billing_y_z", before: null, after: 2 }]);
  assert.deepEqual(of({ list: [1], id: 1 }, { list: [2], id: 2 }), [{ field: "list", before: [1], after: [2] }]);
});
