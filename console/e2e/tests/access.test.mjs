// Signing in and out, roles, and what happens when the session ends (tests 5 to 9, 40 to 43 of the contract).

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, open, ready, Server, withPage } from "../harness.mjs";

let server, browser;
before(async () => {
  server = await Server.start();
  browser = await launch();
  await server.plan();
  await server.subscription("ada@example.com");
});
after(async () => {
  await browser.close();
  await server.stop();
});

test("05 a link signs in and leaves no trace in the address and the history", () =>
  withPage({ browser, server }, async (page) => {
    assert.equal(new URL(page.url()).hash, "");
    assert.equal(await page.title(), "Overview – Perennial");
    assert.equal(await page.evaluate(() => performance.getEntriesByType("navigation").length), 1);
    await page.goBack().catch(() => undefined);
    assert.ok(!page.url().includes("lnk_"));
  }));

test("06 a used link shows the message and the command", () =>
  withPage({ browser, server, role: null, allow: [401] }, async (page) => {
    const link = server.link();
    await page.goto(link);
    await ready(page);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in", level: 1 }).waitFor();
    await page.goto("about:blank");
    await page.goto(link);
    await page.getByRole("alert").filter({ hasText: "This link was already used or has expired." }).waitFor();
    await page.getByText("perennial console open").waitFor();
  }));

test("06 an unknown link shows the same message", () =>
  withPage({ browser, server, role: null, allow: [401] }, async (page) => {
    const link = server.link().replace(/lnk_.{8}/, "lnk_00000000");
    await page.goto(link);
    await page.getByRole("alert").filter({ hasText: "This link was already used or has expired." }).waitFor();
    assert.equal(new URL(page.url()).hash, "");
    await page.getByText("perennial console open").waitFor();
  }));

test("07 signing out ends the session in a second tab", () =>
  withPage({ browser, server, allow: [401] }, async (page, context, watch) => {
    const second = await context.newPage();
    watch(second);
    await open(second, server, "plans");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in", level: 1 }).waitFor();
    await second.getByRole("link", { name: "Payments" }).click();
    await second.getByRole("dialog", { name: "Sign in again" }).waitFor();
  }));

test("08 an ended session: dialog, then the same page with what was typed", () =>
  withPage({ browser, server, allow: [401] }, async (page, context) => {
    await open(page, server, "plans");
    await page.getByRole("button", { name: "New plan" }).click();
    const form = page.getByRole("dialog", { name: "New plan" });
    await form.getByLabel("Name").fill("Typed");
    await form.getByLabel("Slug").fill("typed");
    await form.getByLabel("Price").fill("5");
    const own = JSON.parse(server.command("operator", "list", "--json")).data.find(({ name }) => name === "admin");
    for (const { id } of JSON.parse(server.command("operator", "sessions", own.id, "--json")).data) {
      server.command("operator", "sessions", own.id, "--end", id);
    }
    await form.getByRole("button", { name: "Create plan" }).click();
    const again = page.getByRole("dialog", { name: "Sign in again" });
    await again.waitFor();
    await again.getByRole("button", { name: "Continue" }).click();
    await again.getByRole("alert").waitFor();
    assert.equal(await form.getByLabel("Name").inputValue(), "Typed");
    const other = await context.newPage();
    await other.goto(server.link());
    await ready(other);
    await other.close();
    await again.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("heading", { name: "Typed", level: 1 }).waitFor();
  }));

test("09 a viewer sees no action, and a forced call is 403", () =>
  withPage({ browser, server, role: "viewer", allow: [403] }, async (page) => {
    await open(page, server, "subscriptions");
    assert.equal(await page.getByRole("button", { name: "New subscription" }).count(), 0);
    assert.equal(await page.getByRole("link", { name: "Operators" }).count(), 0);
    for (const path of ["plans", "payments", "users", "entitlements", "subscriptions"]) {
      await open(page, server, path);
      await page.getByText("Your role can only view this page.").waitFor();
    }
    await page.getByRole("link", { name: "ada@example.com" }).click();
    await page.getByRole("heading", { name: "ada@example.com", level: 1 }).waitFor();
    await page.getByText("Your role can only view this page.").waitFor();
    assert.equal(await page.getByRole("button", { name: "Cancel" }).count(), 0);
    const status = await page.evaluate(async () => {
      const response = await fetch("/subscription-plans", { method: "POST", headers: { "x-perennial-console": "1", "content-type": "application/json" }, body: "{}" });
      return [response.status, (await response.json()).required_scope];
    });
    assert.deepEqual(status, [403, "plans:write"]);
  }));

test("10 support cancels, and the event names the operator", () =>
  withPage({ browser, server, role: "support", operator: "Sue" }, async (page) => {
    await server.subscription("sue@example.com");
    await open(page, server, "subscriptions");
    await page.getByRole("link", { name: "sue@example.com" }).click();
    await page.getByRole("button", { name: "Cancel", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel subscription" }).click();
    await page.getByRole("list", { name: "Timeline" }).getByText("by Sue").waitFor();
  }));

test("40 trusted clients: the command only, and 403 if forced", () =>
  withPage({ browser, server, allow: [403] }, async (page) => {
    await open(page, server, "clients");
    const forced = await page.evaluate(async () => {
      const body = JSON.stringify({ name: "forced", kind: "trusted", scopes: ["plans:read"] });
      const response = await fetch("/clients", { method: "POST", headers: { "x-perennial-console": "1", "content-type": "application/json" }, body });
      return [response.status, (await response.json()).code];
    });
    assert.deepEqual(forced, [403, "client_not_for_browsers"]);
    assert.ok((await server.api("GET", "/clients")).every(({ name }) => name !== "forced"));
    await page.getByText("perennial client create").waitFor();
    assert.equal(await page.getByRole("button", { name: "New trusted client" }).count(), 0);
    await page.getByRole("button", { name: "New public client" }).click();
    const form = page.getByRole("dialog", { name: "New public client" });
    await form.getByLabel("Name").fill("Shop");
    await form.getByLabel("Origins").fill("https://shop.example.com");
    await form.getByRole("button", { name: "Create client" }).click();
    await page.getByRole("heading", { name: "Shop", level: 1 }).waitFor();
  }));

test("41 an operator is invited, and a change of role applies in an open tab", () =>
  withPage({ browser, server, allow: [403] }, async (page) => {
    await open(page, server, "operators");
    await page.getByRole("button", { name: "Invite operator" }).click();
    const form = page.getByRole("dialog", { name: "Invite operator" });
    await form.getByLabel("Name").fill("Grace");
    await form.getByLabel("Role").selectOption("support");
    await form.getByRole("button", { name: "Create link" }).click();
    const link = await page.getByRole("dialog", { name: "One-time link" }).locator("code").innerText();
    await page.getByRole("button", { name: "Close" }).click();
    const context = await browser.newContext();
    const other = await context.newPage();
    await other.goto(link);
    await ready(other);
    await open(other, server, "users");
    await other.getByRole("button", { name: "New user" }).waitFor();
    const row = page.getByRole("row", { name: /Grace/ }).first();
    await row.getByRole("button", { name: "Change role" }).click();
    const change = page.getByRole("dialog", { name: "Change role" });
    await change.getByLabel("Role").selectOption("viewer");
    await change.getByRole("region", { name: "Changes" }).getByText("Support").waitFor();
    await change.getByRole("button", { name: "Save changes" }).click();
    await page.getByRole("status").filter({ hasText: "Role changed" }).waitFor();
    await other.getByRole("button", { name: "New user" }).click();
    await other.getByLabel("E-mail address").fill("x@example.com");
    await other.getByRole("button", { name: "Create user" }).click();
    await other.getByRole("alert").filter({ hasText: "users:write" }).first().waitFor();
    await other.getByRole("button", { name: "New user" }).waitFor({ state: "detached" });
    await context.close();
  }));

test("42 an old page reloads once", () =>
  withPage({ browser, server }, async (page) => {
    let loads = 0;
    page.on("load", () => (loads += 1));
    const json = await page.evaluate(async () => (await fetch("/operator-session", { headers: { "x-perennial-console": "1" } })).json());
    json.data.build = "ffffffffffffffff";
    await page.route("**/operator-session", (route) => route.fulfill({ json }));
    await open(page, server, "plans");
    await page.waitForTimeout(500);
    assert.equal(loads, 2);
    // The page that was loaded is the server's: it stays, whatever the session reports.
    await page.getByRole("link", { name: "Payments" }).click();
    await page.getByRole("heading", { name: "Payments", level: 1 }).waitFor();
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await page.waitForTimeout(300);
    assert.equal(loads, 2);
  }));

test("43 network cut after the page was loaded: a message, and the data stays", () =>
  withPage({ browser, server, allow: ["ERR_INTERNET_DISCONNECTED"] }, async (page, context) => {
    await open(page, server, "subscriptions");
    await context.setOffline(true);
    await page.getByRole("button", { name: "Status" }).click();
    await page.getByRole("checkbox", { name: "Active" }).click();
    await page.getByRole("alert").filter({ hasText: "cannot be reached" }).waitFor();
    await page.getByRole("link", { name: "ada@example.com" }).waitFor();
    await page.keyboard.press("Escape");
    await context.setOffline(false);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("alert").waitFor({ state: "detached" });
  }));
