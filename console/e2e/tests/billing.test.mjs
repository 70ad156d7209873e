// Billing of customers: profile and balance of a user, billed subscriptions, planned changes, usage.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { announced, launch, looksRight, open, Server, withPage } from "../harness.mjs";

let server, browser, ada;
before(async () => {
  server = await Server.start();
  browser = await launch();
  await server.plan({ billing: { trial_days: 14 } });
  await server.plan({ name: "Team", slug: "team", price: 79 });
  ada = await server.user("ada@example.com");
  await server.api("POST", "/tax-rates", { name: "VAT", percentage: 19 });
  await server.api("POST", "/meters", { slug: "calls", name: "API calls", aggregation: "sum", unit: "call" });
});
after(async () => {
  await browser.close();
  await server.stop();
});

async function tab(page, name) {
  await page.getByRole("tab", { name }).click();
}

test("the billing profile of a user is changed, with errors at their fields", () =>
  withPage({ browser, server, allow: [422] }, async (page) => {
    await open(page, server, `users/${ada.id}`);
    await tab(page, "Billing profile");
    await page.getByRole("button", { name: "Change billing profile" }).click();
    const form = page.getByRole("dialog", { name: "Change billing profile" });
    await form.getByLabel("Name", { exact: true }).fill("Ada & Söhne");
    await form.getByLabel("Address", { exact: true }).fill("Hauptstr. 1\n10115 Berlin");
    await form.getByLabel("Country").fill("Germany");
    await form.getByLabel("VAT 19 %").check();
    await form.getByRole("button", { name: "Save changes" }).click();
    await form.getByRole("alert").waitFor();
    assert.equal(await form.getByLabel("Country").getAttribute("aria-invalid"), "true");
    await looksRight(page, "billing profile");
    await form.getByLabel("Country").fill("DE");
    await form.getByRole("region", { name: "Changes" }).getByText("Tax rates: — → VAT 19 %").waitFor();
    await form.getByRole("button", { name: "Save changes" }).click();
    await announced(page, "Billing profile changed");
    await page.getByText("10115 Berlin").waitFor();
    const stored = await server.api("GET", `/users/${ada.id}/billing-profile`);
    assert.deepEqual([stored.name, stored.address, stored.country, stored.tax_rate_ids.length], ["Ada & Söhne", ["Hauptstr. 1", "10115 Berlin"], "DE", 1]);
    await looksRight(page, "user with a billing profile");
  }));

test("the balance of a user is adjusted after a confirmation", () =>
  withPage({ browser, server, allow: [409] }, async (page) => {
    await open(page, server, `users/${ada.id}`);
    await tab(page, "Balance");
    await page.getByText("The balance is zero and was never changed.").waitFor();
    const form = page.getByRole("dialog", { name: "Adjust balance" }).first();
    const adjust = async (amount) => {
      await page.getByRole("button", { name: "Adjust balance" }).click();
      await form.getByLabel("Amount").fill(amount);
      await form.getByRole("button", { name: "Continue" }).click();
    };
    await adjust("15.10");
    await page.getByText("$0.00 → $15.10").waitFor();
    await looksRight(page, "confirmation of an adjustment");
    const confirm = page.getByRole("dialog", { name: "Adjust balance" }).last();
    await confirm.getByRole("button", { name: "Back" }).click();
    assert.deepEqual(await server.api("GET", `/users/${ada.id}/credits`), []);
    await form.getByRole("button", { name: "Continue" }).click();
    await confirm.getByRole("button", { name: "Adjust balance" }).click();
    await announced(page, "Balance adjusted");
    await page.getByRole("table", { name: "Ledger", exact: true }).getByRole("row", { name: /\$15\.10.*Adjustment/ }).waitFor();
    await looksRight(page, "balance");
    await adjust("-20");
    await page.getByText("$15.10 → -$4.90").waitFor();
    await confirm.getByRole("button", { name: "Adjust balance" }).click();
    await form.getByRole("alert").getByRole("link", { name: "insufficient_balance" }).waitFor();
    assert.equal((await server.api("GET", `/users/${ada.id}/credits`)).length, 1);
  }));

test("a viewer sees profile and balance, and no action", () =>
  withPage({ browser, server, role: "viewer" }, async (page) => {
    await open(page, server, `users/${ada.id}`);
    await tab(page, "Billing profile");
    await page.getByText("10115 Berlin").waitFor();
    await tab(page, "Balance");
    await page.getByRole("table", { name: "Ledger", exact: true }).waitFor();
    assert.equal(await page.getByRole("button", { name: /Adjust|Edit|Change/ }).count(), 0);
  }));

test("a billed subscription is created, without the fields of an external one", () =>
  withPage({ browser, server, allow: [422] }, async (page) => {
    await open(page, server, "subscriptions");
    await page.getByRole("button", { name: "New subscription" }).first().click();
    const form = page.getByRole("dialog", { name: "New subscription" });
    await form.getByLabel("Status").waitFor();
    await form.getByLabel("Customer").fill("ada@example.com");
    await form.getByLabel("Billing", { exact: true }).selectOption("billed");
    await form.getByLabel("Status").waitFor({ state: "detached" });
    await form.getByLabel("Payment method").fill("pm_1");
    await form.getByLabel("Trial", { exact: true }).selectOption("none");
    await form.getByLabel("Time zone").fill("Mars/Olympus");
    await form.getByRole("button", { name: "Create subscription" }).click();
    await form.getByRole("alert").waitFor();
    assert.equal(await form.getByLabel("Time zone").getAttribute("aria-invalid"), "true");
    await looksRight(page, "new billed subscription");
    await form.getByLabel("Time zone").fill("Europe/Berlin");
    await form.getByRole("button", { name: "Create subscription" }).click();
    await announced(page, "Subscription created");
    const [stored] = await server.api("GET", `/subscriptions?user_id=${ada.id}`);
    assert.deepEqual([stored.status, stored.billing.payment_method, stored.billing.time_zone, stored.billing.trial_ends_at], ["active", "pm_1", "Europe/Berlin", null]);
  }));

test("12 a plan change for the next period is previewed, planned and discarded", () =>
  withPage({ browser, server }, async (page) => {
    const mine = await server.subscription("planned@example.com", "pro", { billing: { payment_method: "pm_1", trial_ends_at: null } });
    await open(page, server, `subscriptions/${mine.id}`);
    await page.getByRole("button", { name: "Change plan" }).click();
    const dialog = page.getByRole("dialog", { name: "Change plan" });
    const team = await dialog.getByRole("option", { name: /Team/ }).getAttribute("value");
    await dialog.getByLabel("Plan", { exact: true }).selectOption(team);
    await dialog.getByLabel("Quantity").fill("3");
    await dialog.getByLabel("Bill and credit the rest of the period").waitFor();
    await dialog.getByLabel("When").selectOption("next_period");
    await dialog.getByLabel("Bill and credit the rest of the period").waitFor({ state: "detached" });
    const changes = dialog.getByRole("region", { name: "Changes" });
    await changes.getByText("Planned change: — → Team, quantity 3").waitFor();
    await looksRight(page, "planned change");
    await dialog.getByRole("button", { name: "Save changes" }).click();
    await announced(page, "Plan changed");
    const read = () => server.api("GET", `/subscriptions/${mine.id}`);
    assert.deepEqual([(await read()).subscription_plan_id, (await read()).billing.change], [mine.subscription_plan_id, { subscription_plan_id: team, quantity: 3 }]);
    await page.getByText("Team, quantity 3").first().waitFor();
    await page.getByRole("button", { name: "Discard planned change" }).click();
    await announced(page, "Planned change discarded");
    assert.equal((await read()).billing.change, null);
  }));

test("a plan change now without proration sends that choice", () =>
  withPage({ browser, server }, async (page) => {
    const mine = await server.subscription("unprorated@example.com", "pro", { billing: { payment_method: "pm_1", trial_ends_at: null } });
    await open(page, server, `subscriptions/${mine.id}`);
    await page.getByRole("button", { name: "Change plan" }).click();
    const dialog = page.getByRole("dialog", { name: "Change plan" });
    await dialog.getByLabel("Quantity").fill("2");
    await dialog.getByLabel("Bill and credit the rest of the period").uncheck();
    const bodies = [];
    page.on("request", (request) => request.method() === "PUT" && !request.url().includes("dry_run") && bodies.push(request.postDataJSON()));
    await dialog.getByRole("button", { name: "Save changes" }).click();
    await announced(page, "Plan changed");
    assert.deepEqual(bodies, [{ quantity: 2, billing: { prorate: false } }]);
  }));

test("the usage of a subscription by meter, in its period and in another time", () =>
  withPage({ browser, server, allow: [400] }, async (page) => {
    const mine = await server.subscription("usage@example.com", "team");
    await server.api("POST", "/usage-events", { events: [{ id: "1", subscription_id: mine.id, meter: "calls", value: 1200.5 }] });
    await open(page, server, `subscriptions/${mine.id}`);
    await tab(page, "Usage");
    await page.getByRole("table", { name: "Usage", exact: true }).getByRole("row", { name: /calls.*Sum of values.*1,200\.5/ }).waitFor();
    await looksRight(page, "usage");
    await page.getByLabel("From (UTC)").fill("2026-01-01T00:00:00");
    await page.getByLabel("Until (UTC)").fill("2026-01-02T00:00:00");
    await page.getByRole("row", { name: /calls.*Sum of values.* 0$/ }).waitFor();
    await page.getByLabel("Until (UTC)").fill("2025-01-02T00:00:00");
    await page.getByRole("alert").waitFor();
    await page.getByRole("button", { name: "Current period" }).click();
    await page.getByRole("row", { name: /1,200\.5/ }).waitFor();
  }));
