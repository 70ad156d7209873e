// The whole tour, against a running service: `cargo xtask clients --test` starts one on each engine and runs this with the
// packed and installed package. The README's examples are pieces of it, word for word; a test says so.

import assert from "node:assert/strict";
import { fromMinorUnits, Perennial, PerennialProblem, toMinorUnits } from "@perennial/client";
import { answerOf, MemoryTokens } from "@perennial/client";

function given(name: string): string {
  const value = process.env[name];
  assert.ok(value, `${name} must be set; \`cargo xtask clients --test\` does so.`);
  return value;
}

/** The network, losing the first answer of a path after the service has done what it was asked. */
function losing(path: string): { fetch: typeof fetch } {
  let isLost = false;
  const lossy: typeof fetch = async (input, init) => {
    const answer = await fetch(input, init);
    if (!isLost && String(input).endsWith(path)) {
      isLost = true;
      throw new TypeError("the answer was lost");
    }
    return answer;
  };
  return { fetch: lossy };
}

const baseUrl = given("PERENNIAL_URL");
const secretClientId = given("PERENNIAL_CLIENT_ID");
const publicClientId = given("PERENNIAL_PUBLIC_CLIENT_ID");
const identityToken = given("PERENNIAL_IDENTITY_TOKEN");
const email = given("PERENNIAL_EMAIL");

// Your backend. Its client ID is a secret.
const server = new Perennial({ baseUrl, clientId: secretClientId });

// Your app in a browser. Its client ID is public, and it can read only its user's records.
const app = new Perennial({ baseUrl, clientId: publicClientId });

// Sign up with the token of your identity provider.
const { user } = await app.auth.signUp({ access_token: identityToken, email, first_name: "Ada" });
console.log(`${user.first_name} is ${user.id}`);

const again = app.with({});
await again.auth.signIn({ access_token: identityToken, email });
assert.equal((await app.auth.user()).user.id, user.id);

const plan = await server.plans.create({ name: "Pro", slug: "pro", price: 19.99, billing_cycle: "monthly" });

const subscription = await server.subscriptions.create({ user_id: user.id, subscription_plan_id: "pro" });

// All attempts of a call share one key, so that it takes effect once. With your own key this also holds across restarts.
const payment = await server.payments.create(
  { subscription_id: subscription.id, amount: plan.price, currency: plan.currency, status: "paid" },
  { idempotencyKey: `first-payment-of-${subscription.id}` },
);
console.log(payment.status); // completed

assert.deepEqual([payment.amount, payment.currency, payment.status], [19.99, "USD", "completed"]);
assert.equal((await app.payments.get(payment.id)).id, payment.id);
const paid = await app.payments.list({ subscription_id: subscription.id });
assert.deepEqual(paid.data.map((one) => one.id), [payment.id]);
const replayed = await server.payments.create(
  { subscription_id: subscription.id, amount: plan.price, currency: plan.currency, status: "paid" },
  { idempotencyKey: `first-payment-of-${subscription.id}` },
);
assert.equal(replayed.id, payment.id);

// An answer that is lost costs nothing: the payment is made once.
const lossy = server.with({ surroundings: losing("/subscription-payments") });
const second = await lossy.payments.create({ subscription_id: subscription.id, amount: 5, currency: "USD" });
assert.equal(answerOf(second)?.replayed, true);
assert.equal((await server.payments.update(second.id, { status: "failed" })).status, "failed");
assert.equal((await server.payments.delete(second.id)).id, second.id);
await assert.rejects(server.payments.get(second.id), { code: "not_found" });

// A person who manages the organization, from the create to the delete.
const operator = await server.operators.create({ name: "Ada (TypeScript)", role: "support" });
assert.equal((await server.operators.get(operator.id)).name, "Ada (TypeScript)");
assert.equal((await server.operators.update(operator.id, { role: "viewer" })).role, "viewer");
assert.ok((await server.operators.list()).data.some(({ id }) => id === operator.id));
assert.deepEqual((await server.operators.listSessions(operator.id)).data, []);
assert.match((await server.operators.createLink(operator.id)).url, /#link=lnk_/);
await assert.rejects(server.operators.endSession(operator.id, "ops_unknown"), { code: "not_found" });
assert.equal((await server.operators.delete(operator.id)).id, operator.id);

// Check access. The app can read the user's own records.
const { has_access } = await app.subscriptions.get(subscription.id);
console.log(has_access); // true
assert.equal(has_access, true);

const { data, page } = await server.subscriptions.list({ user_id: user.id, status: "active,past_due" });
assert.deepEqual([data.map(({ id }) => id), page.has_more], [[subscription.id], false]);
for await (const own of app.subscriptions.each()) {
  assert.equal(own.id, subscription.id);
}

for (let number = 1; number <= 5; number += 1) {
  await server.plans.create({ name: `Tier ${number}`, slug: `tier-${number}`, price: number, billing_cycle: "yearly", tier: number });
}

assert.equal((await app.plans.list({ billing_cycle: "annual" })).data.length, 5);

// Iterate over a list; the next page is requested when it is needed.
const names: string[] = [];
for await (const plan of server.plans.each({ is_active: true, sort: "-price", limit: 2 })) {
  names.push(plan.name);
}
console.log(names.join(", ")); // Pro, Tier 5, Tier 4, Tier 3, Tier 2, Tier 1
assert.equal(names.join(", "), "Pro, Tier 5, Tier 4, Tier 3, Tier 2, Tier 1");

// Errors are typed: `code` is a union of all error codes.
const refused = await server.plans
  .create({ name: "Pro", slug: "Not a slug", price: -1, billing_cycle: "monthly" })
  .catch((error: unknown) => error);
if (refused instanceof PerennialProblem && refused.code === "invalid_input") {
  console.log(refused.errors.map((fault) => fault.pointer)); // [ '/slug', '/price' ]
}

assert.ok(refused instanceof PerennialProblem);
assert.deepEqual(refused.errors.map((fault) => fault.pointer), ["/slug", "/price"]);
await assert.rejects(server.plans.create({ name: "Pro", slug: "pro", price: 1, billing_cycle: "monthly" }), { code: "slug_taken" });

// Optimistic locking: the update is rejected if the plan has changed since it was read.
const read = await server.plans.get("pro");
const dearer = await server.plans.update("pro", { price: 39.99 }, { ifMatch: read });
await server.plans.update("pro", { price: 29.99 }, { ifMatch: read }).catch((error: PerennialProblem) => {
  console.log(error.code); // stale
  assert.equal(error.code, "stale");
});
assert.equal(await server.plans.get("pro", { ifNoneMatch: dearer }), dearer);
assert.equal(dearer.price, 39.99);

// A new price is a new version of the plan. A subscription stays on its version until you move it.
const versions = await server.planVersions.list("pro");
console.log(versions.data.map((one) => one.price)); // [39.99, 19.99]
assert.deepEqual(versions.data.map((one) => [one.version, one.price]), [[2, 39.99], [1, 19.99]]);
assert.deepEqual([subscription.plan_version, (await server.subscriptions.get(subscription.id)).plan_version], [1, 1]);
assert.deepEqual((await server.subscriptions.forecast(subscription.id, { count: 3 })).data, []);

// Add amounts in minor units, which are integers: 19.99 + 39.99 is 59.98, and 59.980000000000004 with floats.
const total = fromMinorUnits(toMinorUnits(plan.price) + toMinorUnits(dearer.price));
console.log(total); // 59.98
assert.equal(total, 59.98);
const large = await server.payments.create({ subscription_id: subscription.id, amount: 999_999_999_998.99, currency: "USD" });
assert.equal((await server.payments.get(large.id)).amount, 999_999_999_998.99);

// List the user's sessions, and end all others.
const { tokens } = await app.sessions.list();
console.log(tokens.length); // 2
await app.sessions.revokeOthers();
assert.equal(tokens.length, 2);
assert.equal(tokens.filter((session) => session.current).length, 1);
await assert.rejects(again.sessions.list(), { code: "invalid_refresh_token" });

// Twenty calls with a token that has expired: it is renewed once, for all of them.
let refreshes = 0;
const counting: typeof fetch = (input, init) => {
  refreshes += String(input).endsWith("/refresh-token") ? 1 : 0;
  return fetch(input, init);
};
const third = app.with({ surroundings: { fetch: counting } });
const signedIn = await third.auth.signIn({ access_token: identityToken, email });
const store = new MemoryTokens({ token: signedIn.token, refreshToken: signedIn.refresh_token, expiresAt: 0 });
const late = third.with({ tokens: store });
await Promise.all(Array.from({ length: 20 }, () => late.subscriptions.get(subscription.id)));
assert.equal(refreshes, 1);
assert.notEqual(store.get()?.refreshToken, signedIn.refresh_token);
// A token that is refused is renewed, too, and the successor is what is presented.
store.set({ token: "no.such.token", refreshToken: store.get()?.refreshToken ?? "", expiresAt: Number.MAX_SAFE_INTEGER });
await Promise.all(Array.from({ length: 20 }, () => late.sessions.list()));
assert.equal(refreshes, 2);

// Revenue figures: `meta` is how far they are.
const revenue = await server.analytics.revenue({ interval: "day" });
assert.equal(revenue.data.length, 30);
assert.ok(["current", "catching_up", "rebuilding"].includes(revenue.meta.state));
assert.ok((await server.analytics.cohorts()).data.length === 12);
assert.ok((await server.analytics.trials()).data.length === 12);
assert.ok((await server.analytics.payments()).data.length === 12);
assert.ok(Array.isArray((await server.analytics.plans()).data));
assert.ok((await server.analytics.listMovements({ limit: 1 })).data.length <= 1);

// Manage users from your backend: create, find, update, end sessions, erase.
const made = await server.users.create({ email: `made-${email}`, first_name: "Grace" });
const found = await server.search.find({ q: `made-${email}` });
console.log(found.data.map((result) => [result.kind, result.match])); // [['user', 'exact']]
assert.deepEqual(found.data.map((result) => [result.kind, result.id, result.match]), [["user", made.id, "exact"]]);
assert.equal((await server.users.update(made.id, { is_blocked: true }, { ifMatch: made })).is_blocked, true);
assert.equal((await server.users.get(made.id)).first_name, "Grace");
assert.deepEqual((await server.users.list({ email_prefix: "MADE-" })).data.map((one) => one.id), [made.id]);
assert.match((await server.users.createPortalLink(made.id, { expires_in: 60 })).url, /\/portal\/enter\/plk_/);
assert.equal((await server.users.delete(made.id)).deleted, true);
const ofUser = await server.userSessions.list(user.id);
assert.ok(ofUser.data.length > 0);
const elsewhere = app.with({});
const newest = (await elsewhere.auth.signIn({ access_token: identityToken, email })).user.auth_token_status_id;
assert.equal((await server.userSessions.revoke(user.id, newest)).revoked, true);
assert.equal((await server.userSessions.revokeAll(made.id).catch((error: PerennialProblem) => error.code)), "not_found");

// Two tabs at once, and an answer that is lost on the way: all end up with the same successor.
const presented = store.get()?.refreshToken ?? "";
const tabs = [late.with({}), late.with({}), late.with({ surroundings: losing("/refresh-token") })];
const successors = await Promise.all(tabs.map((tab) => tab.auth.refresh({ refresh_token: presented })));
assert.equal(new Set(successors.map((tokens) => tokens.refresh_token)).size, 1);
await late.session.keep(successors[0] ?? assert.fail());
await late.sessions.logout();
assert.equal(store.get(), undefined);

// One session can be ended by another, and all by any.
const other = app.with({});
await other.auth.signIn({ access_token: identityToken, email });
const ofOther = (await other.sessions.list()).tokens.find((session) => session.current);
assert.equal((await app.sessions.revoke(ofOther?.id ?? "")).revoked, 1);
await assert.rejects(other.auth.user(), { code: "invalid_refresh_token" });
assert.equal((await app.sessions.revokeAll()).revoked, 1);
assert.equal(await app.session.token(), undefined);
await app.auth.signIn({ access_token: identityToken, email });

// A trusted client may ask whose a token is that an app of yours sent along.
const token = (await app.session.token()) ?? "";
assert.equal((await server.auth.user({ token })).user.id, user.id);
await assert.rejects(server.plans.delete("pro"), { code: "plan_in_use" });
const cancelled = await server.subscriptions.update(subscription.id, { status: "cancelled" });
assert.deepEqual([cancelled.status, cancelled.has_access, cancelled.ends_at], ["cancelled", true, subscription.renews_at]);

// A client for another server: its ID is a credential, returned once. Disabled, it stops working within 5 seconds.
const reader = await server.clients.create({ name: "Reader", kind: "trusted", scopes: ["plans:read"] });
const readerServer = new Perennial({ baseUrl, clientId: reader.client_id ?? "" });
assert.equal((await readerServer.plans.get("pro")).slug, "pro");
await assert.rejects(readerServer.clients.list(), { code: "insufficient_scope" });
assert.equal((await server.clients.get(reader.id)).client_id, null);
assert.equal((await server.clients.update(reader.id, { is_active: false })).is_active, false);
await assert.rejects(server.clients.update(reader.id, { name: "Late" }), { code: "client_disabled" });
for await (const client of server.clients.each({ limit: 1 })) {
  assert.ok(client.client_id === null || client.kind === "public");
}
assert.equal((await server.organizations.update({ max_sessions: 3 })).max_sessions, 3);
assert.equal((await server.organizations.get()).max_sessions, 3);
await server.organizations.update({ max_sessions: null });

// Only a test organization has a clock: `perennial org create --test`.
assert.equal((await server.organizations.get()).mode, "live");
await assert.rejects(server.testClocks.create({ now: "2026-01-31T09:30:00Z" }), { code: "not_a_test_organization" });
await assert.rejects(server.testClocks.get(), { code: "not_found" });
await assert.rejects(server.testClocks.update({ mode: "jump" }), { code: "not_found" });
await assert.rejects(server.testClocks.delete(), { code: "not_found" });

// Follow the feed of events: every change, in order. Store the cursor; after a restart, continue from it.
let stored = (await server.feed.list({ start: "newest" })).page.next_cursor ?? "";
const position = stored;
await server.plans.create({ name: "Fed", slug: "fed", price: 1, billing_cycle: "monthly" });
await server.plans.delete("fed");
for await (const event of server.events({ types: ["plan.*"], cursor: stored, onCursor: (cursor) => void (stored = cursor) })) {
  console.log(event.sequence, event.type, event.record_id);
  if (event.type === "plan.deleted") break;
}
const followed: string[] = [];
for await (const event of server.events({ types: ["plan.*"], cursor: position })) {
  assert.deepEqual(await server.feed.get(event.id), event);
  followed.push(event.type);
  if (followed.length === 2) break;
}
assert.deepEqual(followed, ["plan.created", "plan.deleted"]);
// An endpoint of webhooks, from the create to the delete. Its secret is returned by the create and by a rotation only.
const endpoint = await server.webhookEndpoints.create({ url: "https://hooks.invalid/ts", types: ["payment.*"], is_active: false });
assert.match(endpoint.secret ?? "", /^whsec_/);
assert.deepEqual((await server.webhookEndpoints.get(endpoint.id)).types, ["payment.*"]);
assert.ok((await server.webhookEndpoints.list()).data.some(({ id }) => id === endpoint.id));
assert.equal((await server.webhookEndpoints.update(endpoint.id, { payload: "thin" })).payload, "thin");
const rotated = await server.webhookEndpoints.rotateSecret(endpoint.id, { overlap_seconds: 0 });
assert.notEqual(rotated.secret, endpoint.secret);
const attempt = await server.webhookEndpoints.ping(endpoint.id, {});
assert.deepEqual([attempt.outcome, attempt.trigger], ["failed", "ping"]);
assert.deepEqual((await server.webhookEndpoints.listAttempts(endpoint.id)).data.map(({ id }) => id), [attempt.id]);
assert.equal((await server.webhookEndpoints.seek(endpoint.id, { to: "newest" })).id, endpoint.id);
await server.webhookEndpoints.update(endpoint.id, { is_active: true });
assert.equal((await server.webhookEndpoints.retry(endpoint.id, { since: "2020-01-01T00:00:00Z" })).queued, 0);
assert.equal((await server.webhookEndpoints.listUndelivered(endpoint.id, { state: "given_up" })).data.length, 0);
assert.equal((await server.webhookEndpoints.delete(endpoint.id)).id, endpoint.id);

await assert.rejects(server.events({ cursor: "forged" }).next(), { code: "invalid_cursor" });

// Records of billing. They stay, so each run has its own codes and slugs.
const run = Date.now().toString(36);
const rate = await server.taxRates.create({ name: "VAT", percentage: 19, country: "de" });
assert.deepEqual([rate.country, (await server.taxRates.get(rate.id)).percentage], ["DE", 19]);
assert.equal((await server.taxRates.update(rate.id, { is_active: false })).is_active, false);
assert.equal((await server.taxRates.list({ limit: 1 })).data.length, 1);
const coupon = await server.coupons.create({ code: `TOUR-${run}`, percent: 10, duration: "once" });
assert.equal((await server.coupons.get(coupon.id)).redemptions, 0);
assert.equal((await server.coupons.update(coupon.id, { is_active: false })).is_active, false);
assert.ok((await server.coupons.list()).data.some(({ id }) => id === coupon.id));
const meter = await server.meters.create({ slug: `calls-${run}`, name: "Calls", aggregation: "sum" });
assert.equal((await server.meters.update(meter.id, { unit: "call" })).unit, "call");
assert.equal((await server.meters.get(meter.id)).slug, meter.slug);
assert.ok((await server.meters.list()).data.some(({ id }) => id === meter.id));
const feature = await server.features.create({ key: `calls-${run}`, name: "Calls", kind: "quota", meter: meter.slug });
assert.equal((await server.features.get(feature.key)).meter, meter.id);
assert.equal((await server.features.update(feature.key, { per_unit: true })).per_unit, true);
assert.ok((await server.features.list({ kind: "quota" })).data.some(({ key }) => key === feature.key));
await server.subscriptions.update(subscription.id, { entitlements: { [feature.key]: 100 } });
const used = { id: "1", subscription_id: subscription.id, meter: meter.slug, value: 2 };
assert.equal((await server.usage.record({ events: [used] })).accepted, 1);
assert.equal((await server.usage.record({ events: [used] })).duplicates, 1);
const measured = (await server.usage.get(subscription.id)).meters.find(({ meter_id }) => meter_id === meter.id);
assert.equal(measured?.quantity, 2);
assert.ok(feature.key in (await server.entitlements.get(user.id)).entitlements);
const checked = await server.entitlements.check(user.id, feature.key, { need: 98 });
assert.deepEqual([checked.feature, checked.allowed], [feature.key, true]);
assert.equal(await server.entitlements.check(user.id, feature.key, { need: 98 }, { ifNoneMatch: checked }), checked);
assert.equal((await server.entitlements.check(user.id, feature.key, { need: 99 })).allowed, false);
assert.equal((await server.entitlements.createToken(user.id, { ttl_seconds: 3600 })).token.split(".").length, 3);
const colleague = await server.users.create({ email: `colleague-${run}@example.com` });
assert.equal((await server.members.add(subscription.id, { user_id: colleague.id })).user_id, colleague.id);
const members = await server.members.list(subscription.id);
assert.deepEqual(members.data.map(({ user_id }) => user_id), [colleague.id]);
assert.deepEqual(members.seats, { limit: null, used: 2, over_limit: false });
assert.equal((await server.members.remove(subscription.id, colleague.id)).user_id, colleague.id);
await server.billingProfiles.update(user.id, { name: "Ada Lovelace", locale: "en" });
await server.credits.create(user.id, { currency: "USD", amount: 5, description: "Sorry" });
assert.equal((await server.credits.list(user.id)).data[0]?.amount, 5);
assert.deepEqual((await server.billingProfiles.get(user.id)).balances, [{ currency: "USD", amount: 5 }]);

// Invoices of a billed subscription. Its plan has no fee, so the only ones are those that are created here.
await server.plans.create({ name: "Free", slug: `free-${run}`, price: 0, billing_cycle: "monthly" });
const billed = await server.subscriptions.create({
  user_id: colleague.id,
  subscription_plan_id: `free-${run}`,
  billing: { collection: "manual" },
});
const lines = [{ description: "Set-up", quantity: 2, unit_price: 49.5 }];
const draft = await server.invoices.create({ subscription_id: billed.id, lines });
assert.deepEqual([draft.kind, draft.status, draft.number, draft.total], ["one_off", "draft", null, 99]);
assert.equal((await server.invoices.update(draft.id, { memo: "Thank you." }, { ifMatch: draft })).memo, "Thank you.");
const issued = await server.invoices.finalize(draft.id);
assert.deepEqual([issued.status, issued.amount_due], ["open", 99]);
assert.equal((await server.invoices.get(draft.id)).number, issued.number);
await assert.rejects(server.invoices.update(draft.id, { memo: "Late" }), { code: "invoice_final" });
const note = await server.creditNotes.create({ invoice_id: issued.id, amount: 20, reason: "Outage" });
assert.deepEqual([note.invoice_number, note.total, note.applied_amount], [issued.number, 20, 20]);
assert.equal(await server.creditNotes.get(note.id, { ifNoneMatch: note }), note);
assert.deepEqual((await server.creditNotes.list({ invoice_id: issued.id })).data.map(({ id }) => id), [note.id]);
await assert.rejects(server.invoices.void(issued.id), { code: "has_payments" });
assert.equal((await server.invoices.markUncollectible(issued.id)).amount_due, 79);
const mistaken = await server.invoices.create({ subscription_id: billed.id, lines });
await server.invoices.finalize(mistaken.id);
assert.equal((await server.invoices.void(mistaken.id)).status, "void");
const dropped = await server.invoices.create({ subscription_id: billed.id, lines });
assert.equal((await server.invoices.delete(dropped.id)).id, dropped.id);
const invoices = await server.invoices.list({ subscription_id: billed.id, status: "uncollectible,void" });
assert.deepEqual(invoices.data.map(({ id }) => id), [mistaken.id, issued.id]);

// The command line creates connections to payment providers. Without one, nothing is collected.
assert.deepEqual((await server.connections.list()).data, []);
await assert.rejects(server.connections.get("con_unknown"), { code: "not_found" });
await assert.rejects(server.connections.listInbox("con_unknown"), { code: "not_found" });
const uncollected = await server.payments.create({ subscription_id: billed.id, amount: 79, currency: "USD" });
await assert.rejects(server.payments.collect(uncollected.id, {}), { code: "required" });
await server.payments.delete(uncollected.id);
await server.subscriptions.delete(billed.id);
await server.plans.delete(`free-${run}`);

// Delete the account.
if (user.auth_id !== null) {
  await app.account.delete(user.auth_id);
}
assert.equal(await app.session.token(), undefined);
await assert.rejects(app.auth.signIn({ access_token: identityToken, email }), { code: "user_not_found" });
const ended = await server.subscriptions.get(subscription.id);
assert.equal(ended.has_access, false);

await server.subscriptions.delete(subscription.id);
for (const slug of ["pro", "tier-1", "tier-2", "tier-3", "tier-4", "tier-5"]) {
  await server.plans.delete(slug);
}
await assert.rejects(server.plans.get("pro"), { code: "not_found" });
console.log("The tour is over.");
