// Billed subscriptions and test clocks: terms, forecast, dry runs, billing defaults, and the clock above every page.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { expectNoViolations, fits, launch, open, ready, Server, withPage } from "../harness.mjs";

let server, browser, sandbox, billed;
before(async () => {
  server = await Server.start();
  browser = await launch();
  await server.plan();
  await server.plan({ name: "Team", slug: "team", price: 79 });
  await server.plan({ name: "Yearly", slug: "yearly", price: 290, billing_cycle: "yearly" });
  billed = await server.subscription("ada@example.com", "pro", { billing: { payment_method: "pm_1", time_zone: "Europe/Berlin" } });
  sandbox = server.testOrganization("sandbox");
});
after(async () => {
  await browser.close();
  await server.stop();
});

const announced = (page, text) => page.getByRole("status").filter({ hasText: text }).waitFor();

test("a billed subscription shows its terms, next action and forecast", () =>
  withPage({ browser, server }, async (page) => {
    await open(page, server, `subscriptions/${billed.id}`);
    const forecast = await server.api("GET", `/subscriptions/${billed.id}/forecast?count=6`);
    const rows = page.getByRole("table", { name: "Forecast", exact: true }).locator("tbody tr");
    await rows.nth(5).waitFor();
    const times = await rows.locator("td:nth-child(2) time").evaluateAll((found) => found.map((time) => time.getAttribute("datetime")));
    assert.deepEqual(times, forecast.map(({ at }) => at));
    assert.match(await rows.first().innerText(), /Renew\b.*Active/s);
    await page.getByText("Europe/Berlin").waitFor();
    await page.getByText(/^Renew, /).waitFor();
    await expectNoViolations(page, "billed subscription");
    await page.setViewportSize({ width: 320, height: 800 });
    await fits(page);
  }));

test("a parked subscription has a note with the reason and the command", () =>
  withPage({ browser, server }, async (page) => {
    // No call parks a subscription, so the response is changed.
    await page.route(`**/subscriptions/${billed.id}`, async (route) => {
      if (route.request().resourceType() === "document") {
        return route.continue();
      }
      const data = await server.api("GET", `/subscriptions/${billed.id}`);
      data.billing.parked = { at: "2026-11-16T10:00:00Z", reason: "missing_plan" };
      return route.fulfill({ json: { data } });
    });
    await open(page, server, `subscriptions/${billed.id}`);
    const note = page.getByRole("note", { name: "Parked" });
    await note.getByText(/the plan or its version is missing/).waitFor();
    await note.getByText(`perennial lifecycle unpark ${billed.id}`).waitFor();
    await expectNoViolations(page, "parked subscription");
    await page.setViewportSize({ width: 320, height: 800 });
    await fits(page);
  }));

test("an external subscription has no forecast", () =>
  withPage({ browser, server }, async (page) => {
    const external = await server.subscription("external@example.com");
    await open(page, server, `subscriptions/${external.id}`);
    await page.getByRole("list", { name: "Timeline" }).waitFor();
    assert.equal(await page.getByRole("table", { name: "Forecast", exact: true }).count(), 0);
  }));

test("12 a plan change of a billed subscription shows what follows before it is saved", () =>
  withPage({ browser, server }, async (page) => {
    const mine = await server.subscription("change@example.com", "pro", { billing: { payment_method: "pm_1" } });
    await open(page, server, `subscriptions/${mine.id}`);
    await page.getByRole("button", { name: "Change plan" }).click();
    const dialog = page.getByRole("dialog", { name: "Change plan" });
    const yearly = await dialog.getByRole("option", { name: /Yearly/ }).getAttribute("value");
    await dialog.getByLabel("Plan").selectOption(yearly);
    const changes = dialog.getByRole("region", { name: "Changes" });
    await changes.getByText(/Renews at:/).waitFor();
    await changes.getByText(/^Invoice: \$/).waitFor();
    await changes.getByText(/^Proration charge, Yearly: \$290\.00/).waitFor();
    await expectNoViolations(page, "change plan");
    // The dry run wrote nothing.
    assert.equal((await server.api("GET", `/subscriptions/${mine.id}`)).subscription_plan_id, mine.subscription_plan_id);
    await dialog.getByRole("button", { name: "Save changes" }).click();
    await announced(page, "Plan changed");
    assert.equal((await server.api("GET", `/subscriptions/${mine.id}`)).subscription_plan_id, yearly);
  }));

test("the documents of a dry run are shown with their lines", () =>
  withPage({ browser, server }, async (page) => {
    const line = (kind, amount) => ({ kind, description: "Pro", amount });
    const invoice = { total: 5, currency: "USD", lines: [line("proration_credit", -5), line("proration_charge", 10)] };
    await page.route(`**/subscriptions/${billed.id}?dry_run=true`, async (route) => {
      const data = await server.api("GET", `/subscriptions/${billed.id}`);
      await route.fulfill({ json: { data, documents: { invoices: [invoice], credit_notes: [{ total: 7, currency: "USD", lines: [] }] } } });
    });
    await open(page, server, `subscriptions/${billed.id}`);
    await page.getByRole("button", { name: "Change plan" }).click();
    const dialog = page.getByRole("dialog", { name: "Change plan" });
    await dialog.getByLabel("Quantity").fill("2");
    const changes = dialog.getByRole("region", { name: "Changes" });
    await changes.getByText("Invoice: $5.00").waitFor();
    await changes.getByText("Proration credit, Pro: -$5.00").waitFor();
    await changes.getByText("Credit note: $7.00").waitFor();
    assert.equal(await changes.getByText("No invoice").count(), 0);
  }));

test("11 a billed subscription is cancelled at the end, resumed, and cancelled now", () =>
  withPage({ browser, server }, async (page) => {
    const mine = await server.subscription("leaves@example.com", "pro", { billing: { payment_method: "pm_1" } });
    const read = () => server.api("GET", `/subscriptions/${mine.id}`);
    await open(page, server, `subscriptions/${mine.id}`);
    const dialog = page.getByRole("dialog", { name: "Cancel subscription" });
    await page.getByRole("button", { name: "Cancel", exact: true }).click();
    await dialog.getByRole("region", { name: "Changes" }).getByText(/Ends at:/).waitFor();
    await dialog.getByRole("button", { name: "Cancel subscription" }).click();
    await announced(page, "Subscription cancelled");
    const cancelled = await read();
    assert.deepEqual([cancelled.status, cancelled.ends_at], ["cancelled", mine.renews_at]);
    await page.getByRole("button", { name: "Resume" }).click();
    await announced(page, "Subscription resumed");
    assert.equal((await read()).status, "active");
    await page.getByRole("button", { name: "Cancel", exact: true }).click();
    await dialog.getByLabel("Now").check();
    await dialog.getByRole("region", { name: "Changes" }).getByText(/Has access:/).waitFor();
    await expectNoViolations(page, "cancel");
    await dialog.getByRole("button", { name: "Cancel subscription" }).click();
    await announced(page, "Subscription cancelled");
    assert.equal((await read()).status, "expired");
  }));

test("the form of a billed subscription has only what can be changed", () =>
  withPage({ browser, server, allow: [422] }, async (page) => {
    await open(page, server, `subscriptions/${billed.id}`);
    await page.getByRole("button", { name: "Edit" }).click();
    const dialog = page.getByRole("dialog", { name: "Edit subscription" });
    await dialog.waitFor();
    assert.deepEqual(await dialog.getByLabel("Status").locator("option").allInnerTexts(), ["Active", "Paused", "Cancelled", "Expired"]);
    assert.equal(await dialog.getByLabel("Billing cycle").count(), 0);
    const method = dialog.getByLabel("Payment method");
    await method.fill("4242424242424242");
    await dialog.getByText(/This change would be rejected/).waitFor();
    await dialog.getByRole("button", { name: "Save changes" }).click();
    await dialog.getByRole("alert").waitFor();
    assert.equal(await method.getAttribute("aria-invalid"), "true");
    await method.fill("pm_2");
    await dialog.getByRole("button", { name: "Save changes" }).click();
    await announced(page, "Subscription changed");
    assert.equal((await server.api("GET", `/subscriptions/${billed.id}`)).billing.payment_method, "pm_2");
  }));

test("billing defaults are saved, and errors are at their fields", () =>
  withPage({ browser, server, allow: [422] }, async (page) => {
    await open(page, server, "settings");
    await page.getByLabel("Time zone").fill("Mars/Olympus");
    await page.getByLabel("Payment retries (days)").fill("2, 4");
    await page.getByLabel("Renewal notice (days)").fill("7");
    const save = page.getByRole("button", { name: "Save changes" });
    await save.click();
    await page.getByRole("alert").waitFor();
    assert.equal(await page.getByLabel("Time zone").getAttribute("aria-invalid"), "true");
    await expectNoViolations(page, "settings with an error");
    await page.getByLabel("Time zone").fill("Europe/Berlin");
    await save.click();
    await announced(page, "Settings saved");
    const { billing } = await server.api("GET", "/organization");
    assert.equal(billing.time_zone, "Europe/Berlin");
    assert.equal(billing.renewal_notice_days, 7);
    assert.deepEqual(billing.dunning, { retry_days: [2, 4], grace_days: 7, then: "unpaid" });
    assert.equal(await page.getByRole("region", { name: "Test clock" }).count(), 0);
    assert.equal(await page.getByRole("note", { name: "Test clock" }).count(), 0);
  }));

test("a test clock is created, advanced, held after a jump, and deleted", () =>
  withPage({ browser, server: sandbox, allow: [404] }, async (page) => {
    await open(page, sandbox, "settings");
    const region = page.getByRole("region", { name: "Test clock" });
    const note = page.getByRole("note", { name: "Test clock" });
    await note.getByText("real time").waitFor();
    const move = async (button, time) => {
      await region.getByRole("button", { name: button }).click();
      const dialog = page.getByRole("dialog", { name: button });
      await dialog.getByLabel("Time (UTC)").fill(time);
      await expectNoViolations(page, button);
      await dialog.getByRole("button", { name: button }).click();
      await dialog.waitFor({ state: "detached" });
    };
    await move("Create test clock", "2026-01-31T10:00:00");
    await region.getByText("Ready").waitFor();
    await note.getByText(/Jan 31, 2026, 10:00:00 AM UTC/).waitFor();
    await sandbox.plan();
    const mine = await sandbox.subscription("ada@example.com", "pro", { billing: { payment_method: "test_ok" } });
    await move("Advance", "2026-03-15T00:00:00");
    await note.getByText(/Mar 15, 2026, 12:00:00 AM UTC, ready/).waitFor();
    await open(page, sandbox, `subscriptions/${mine.id}`);
    await note.getByText(/Mar 15, 2026/).waitFor();
    await page.getByText("Yes, now").waitFor();
    assert.equal((await sandbox.api("GET", `/subscriptions/${mine.id}`)).renews_at, "2026-03-31T10:00:00.000000Z");
    await open(page, sandbox, "");
    await note.getByText(/Mar 15, 2026/).waitFor();
    await open(page, sandbox, "settings");
    await move("Jump", "2026-06-20T00:00:00");
    await region.getByText("perennial lifecycle resume --org sandbox").waitFor();
    assert.equal(await region.getByRole("button", { name: "Advance" }).count(), 0);
    await expectNoViolations(page, "held clock");
    await page.setViewportSize({ width: 320, height: 800 });
    await fits(page);
    await page.setViewportSize({ width: 1280, height: 900 });
    server.command("lifecycle", "resume", "--org", "sandbox");
    await page.reload();
    await ready(page);
    await note.getByText(/Jun 20, 2026, 12:00:00 AM UTC, ready/).waitFor();
    await region.getByRole("button", { name: "Delete test clock" }).click();
    await page.getByRole("dialog", { name: "Delete test clock" }).getByRole("button", { name: "Delete test clock" }).click();
    await note.getByText("real time").waitFor();
    assert.deepEqual(await sandbox.api("GET", "/subscriptions"), []);
  }));

test("a viewer sees the clock and cannot move it", async () => {
  const other = server.testOrganization("other");
  await other.api("POST", "/test-clock", { now: "2026-01-31T10:00:00Z" });
  await withPage({ browser, server: other, role: "viewer" }, async (page) => {
    await open(page, other, "settings");
    await page.getByRole("region", { name: "Test clock" }).getByText("Ready").waitFor();
    assert.equal(await page.getByRole("button", { name: "Advance" }).count(), 0);
    assert.equal(await page.getByRole("button", { name: "Save changes" }).count(), 0);
  });
});
