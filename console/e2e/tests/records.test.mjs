// What operators do with records (tests 11 to 21 of the contract).

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, open, ready, Server, withPage } from "../harness.mjs";

let server, browser;
before(async () => {
  server = await Server.start();
  browser = await launch();
  await server.plan();
  await server.plan({ name: "Team", slug: "team", price: 79 });
  await server.plan({ name: "Old", slug: "old", is_active: false });
});
after(async () => {
  await browser.close();
  await server.stop();
});

const status = (page, text) => page.getByRole("status").filter({ hasText: text }).waitFor();

test("11 cancel at the end of the period, resume, cancel now", () =>
  withPage({ browser, server }, async (page) => {
    const { id } = await server.subscription("cancel@example.com");
    await open(page, server, `subscriptions/${id}`);
    await page.getByRole("button", { name: "Cancel", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Cancel subscription" });
    assert.ok(await dialog.getByRole("radio", { name: "At the end of the paid period" }).isChecked());
    await dialog.getByText(/Access continues until .* UTC/).waitFor();
    await dialog.getByRole("button", { name: "Cancel subscription" }).click();
    await status(page, "Subscription cancelled");
    await page.getByText("Yes, now").waitFor();
    await page.getByRole("button", { name: "Resume" }).click();
    await status(page, "Subscription resumed");
    await page.getByRole("button", { name: "Cancel", exact: true }).click();
    await dialog.getByRole("radio", { name: "Now" }).check();
    await dialog.getByRole("button", { name: "Cancel subscription" }).click();
    await page.getByText("No: it has ended").waitFor();
    await page.getByRole("list", { name: "Timeline" }).getByRole("listitem").nth(3).waitFor();
  }));

test("12 a change of plan shows what changes, and offers active plans only", () =>
  withPage({ browser, server }, async (page) => {
    const { id } = await server.subscription("change@example.com");
    await open(page, server, `subscriptions/${id}`);
    await page.getByRole("button", { name: "Change plan" }).click();
    const dialog = page.getByRole("dialog", { name: "Change plan" });
    assert.equal(await dialog.getByRole("option", { name: /Old/ }).count(), 0);
    await dialog.getByLabel("Plan").selectOption({ label: "Team, $79.00 monthly" });
    await dialog.getByLabel("Quantity").fill("3");
    const changes = dialog.getByRole("region", { name: "Changes" });
    await changes.getByText("Quantity: 1 → 3").waitFor();
    await dialog.getByText("$29.00 monthly → $237.00 monthly").waitFor();
    await dialog.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("$237.00 monthly").waitFor();
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByRole("dialog").waitFor();
    const offered = await page.getByRole("dialog").getByLabel("Status").locator("option").allInnerTexts();
    assert.deepEqual(offered, ["Active", "On trial", "Past due", "Unpaid", "Paused", "Cancelled", "Expired"]);
  }));

test("13 the record changed: both versions are shown and nothing is lost", () =>
  withPage({ browser, server, allow: [412] }, async (page) => {
    const { id } = await server.subscription("stale@example.com");
    await open(page, server, `subscriptions/${id}`);
    await page.getByRole("button", { name: "Edit" }).click();
    const form = page.getByRole("dialog", { name: "Edit subscription" });
    await form.getByLabel("Quantity").fill("7");
    await server.api("PUT", `/subscriptions/${id}`, { quantity: 5 });
    await form.getByRole("button", { name: "Save changes" }).click();
    const stale = page.getByRole("dialog", { name: "Record changed" });
    await stale.getByRole("row", { name: "Quantity 7 5" }).waitFor();
    assert.equal(await stale.getByRole("button", { name: "Reload" }).count(), 1);
    await stale.getByRole("button", { name: "Apply again" }).click();
    await status(page, "Subscription changed");
    assert.equal((await server.api("GET", `/subscriptions/${id}`)).quantity, 7);
  }));

test("14 a double click makes one record", () =>
  withPage({ browser, server }, async (page) => {
    await open(page, server, "users");
    await page.getByRole("button", { name: "New user" }).first().click();
    await page.getByLabel("E-mail address").fill("twice@example.com");
    await page.getByRole("button", { name: "Create user" }).dblclick();
    await page.getByRole("heading", { name: "twice@example.com", level: 1 }).waitFor();
    assert.equal((await server.api("GET", "/users?email=twice@example.com")).length, 1);
  }));

test("15 a new plan: all errors at their fields", () =>
  withPage({ browser, server, allow: [422] }, async (page) => {
    await open(page, server, "plans");
    await page.getByRole("button", { name: "New plan" }).click();
    const form = page.getByRole("dialog", { name: "New plan" });
    await form.getByLabel("Slug").fill("Not A Slug");
    await form.getByLabel("Price").fill("a lot");
    await form.getByLabel("Currency").fill("XXX");
    await form.getByRole("button", { name: "Create plan" }).click();
    const alert = form.getByRole("alert");
    await alert.waitFor();
    assert.equal(await alert.getByRole("listitem").count(), 4);
    for (const label of ["Name", "Slug", "Price", "Currency"]) {
      const field = form.getByLabel(label, { exact: true });
      assert.equal(await field.getAttribute("aria-invalid"), "true", label);
      const described = (await field.getAttribute("aria-describedby")).split(" ").at(-1);
      assert.ok((await page.locator(`[id="${described}"]`).innerText()).length > 5, label);
    }
    await form.getByLabel("Name").fill("Solo");
    await form.getByLabel("Slug").fill("solo");
    await form.getByLabel("Price").fill("12.50");
    await form.getByLabel("Currency").fill("USD");
    await form.getByRole("button", { name: "Create plan" }).click();
    await page.getByRole("heading", { name: "Solo", level: 1 }).waitFor();
  }));

test("16 a plan in use is not deleted, and the number is shown", () =>
  withPage({ browser, server, allow: [409] }, async (page) => {
    await server.plan({ name: "Used", slug: "used" });
    await server.subscription("used@example.com", "used");
    await open(page, server, "plans/used");
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete plan" }).click();
    await page.getByRole("alert").filter({ hasText: "in use by 1 subscription" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Price").fill("35");
    await page.getByText("stay on the old version: 1").waitFor();
    await page.getByRole("button", { name: "Save changes" }).click();
    await status(page, "Plan changed");
    await page.getByRole("button", { name: "Retire" }).click();
    await status(page, "Plan retired");
  }));

test("17 a payment is recorded, changed, and its timeline grows", () =>
  withPage({ browser, server }, async (page) => {
    const { id } = await server.subscription("pay@example.com");
    await open(page, server, `payments?subscription_id=${id}`);
    await page.getByRole("button", { name: "Record payment" }).first().click();
    const form = page.getByRole("dialog", { name: "Record payment" });
    await form.getByLabel("Amount").fill("29");
    await form.getByRole("button", { name: "Record payment" }).click();
    await page.getByRole("heading", { name: "$29.00", level: 1 }).waitFor();
    const entries = page.getByRole("list", { name: "Timeline" }).getByRole("listitem");
    await entries.first().waitFor();
    await page.getByRole("button", { name: "Change status" }).click();
    await page.getByRole("dialog").waitFor();
    const offered = await page.getByRole("dialog").getByLabel("Status").locator("option").allInnerTexts();
    assert.deepEqual(offered, ["Completed", "Partially refunded", "Refunded", "Disputed", "Void"]);
    await page.getByRole("dialog").getByLabel("Status").selectOption("refunded");
    await page.getByRole("button", { name: "Save changes" }).click();
    await entries.nth(1).waitFor();
    await entries.first().getByText(/Completed → Refunded/).waitFor();
  }));

test("a payment that failed can be collected, if a connection may do so", () =>
  withPage({ browser, server }, async (page) => {
    const { id } = await server.subscription("collect@example.com");
    const payment = await server.api("POST", "/subscription-payments", { subscription_id: id, amount: 29, currency: "USD", status: "failed" });
    await open(page, server, `payments/${payment.id}`);
    await page.getByRole("button", { name: "Collect" }).click();
    const dialog = page.getByRole("dialog", { name: "Collect payment" });
    await dialog.getByText("perennial connection update CONNECTION --collect").waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    await dialog.waitFor({ state: "detached" });
    const completed = await server.api("POST", "/subscription-payments", { subscription_id: id, amount: 29, currency: "USD", status: "completed" });
    await open(page, server, `payments/${completed.id}`);
    assert.equal(await page.getByRole("button", { name: "Collect" }).count(), 0);
    await open(page, server, `payments?subscription_id=${id}`);
    await page.getByRole("columnheader", { name: "Invoice" }).waitFor();
  }));

test("18 one session is ended, then all", () =>
  withPage({ browser, server }, async (page) => {
    for (let at = 0; at < 3; at += 1) {
      const token = server.command("identity", "token", "--email", "signed@example.com");
      const path = at === 0 ? "sign-up" : "sign-in";
      await server.api("POST", `/authentication/${path}`, { access_token: token, email: "signed@example.com" });
    }
    const [user] = await server.api("GET", "/users?email=signed@example.com");
    await open(page, server, `users/${user.id}`);
    await page.getByRole("tab", { name: "Sessions" }).click();
    const rows = page.getByRole("table", { name: "Sessions" }).getByRole("button", { name: "End session" });
    await rows.nth(2).waitFor();
    await rows.first().click();
    await status(page, "Session ended");
    await rows.nth(2).waitFor({ state: "detached" });
    assert.equal(await rows.count(), 2);
    await page.getByRole("button", { name: "End all sessions" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "End all sessions" }).click();
    await page.getByText("This user is not signed in.").waitFor();
  }));

test("19 erasing a user asks for the address", () =>
  withPage({ browser, server, allow: [404] }, async (page) => {
    const user = await server.user("erase@example.com");
    await open(page, server, `users/${user.id}`);
    await page.getByRole("button", { name: "Erase user" }).click();
    const dialog = page.getByRole("dialog", { name: "Erase user" });
    const erase = dialog.getByRole("button", { name: "Erase user" });
    assert.ok(await erase.isDisabled());
    await dialog.getByRole("textbox").fill("erase@example.co");
    assert.ok(await erase.isDisabled());
    await dialog.getByRole("textbox").fill("erase@example.com");
    await erase.click();
    await page.getByRole("heading", { name: "Users", level: 1 }).waitFor();
    await page.getByRole("link", { name: "erase@example.com" }).waitFor({ state: "detached" });
  }));

test("20 events are followed and paused", () =>
  withPage({ browser, server }, async (page) => {
    await open(page, server, "events?type=plan.created");
    await page.getByRole("table", { name: "Events" }).waitFor();
    const follow = page.getByRole("button", { name: "Follow" });
    await follow.click();
    assert.equal(await follow.getAttribute("aria-pressed"), "true");
    const rows = page.getByRole("table", { name: "Events" }).locator("tbody tr");
    const before = await rows.count();
    await server.plan({ name: "Live", slug: "live" });
    await rows.nth(before).waitFor({ timeout: 9_000 });
    await follow.click();
    await server.plan({ name: "Later", slug: "later" });
    await page.waitForTimeout(5_500);
    assert.equal(await rows.count(), before + 1);
  }));

test("21 search by ID, beginning of an address, external ID and slug", () =>
  withPage({ browser, server }, async (page) => {
    const found = await server.subscription("search.me@example.com", "pro", { external_subscription_id: "ext-4711" });
    const search = page.getByRole("combobox", { name: "Search" });
    for (const [text, heading] of [
      [found.id, "search.me@example.com"],
      ["search.me", "search.me@example.com"],
      ["ext-4711", "search.me@example.com"],
      ["team", "Team"],
    ]) {
      await search.fill(text);
      await page.getByRole("listbox", { name: "Search results" }).getByRole("option", { selected: true }).waitFor();
      await search.press("Enter");
      await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
      await open(page, server, "plans");
    }
    await ready(page);
  }));
