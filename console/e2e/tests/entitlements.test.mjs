// Features, grants of plans and subscriptions, and what a user has (test 38 of the contract).

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { announced, launch, looksRight, open, Server, withPage } from "../harness.mjs";

let server, browser, ada;
before(async () => {
  server = await Server.start();
  browser = await launch();
  await server.plan();
  ada = await server.subscription("ada@example.com", "pro", { quantity: 3 });
  await server.api("POST", "/meters", { slug: "calls", name: "API calls", aggregation: "sum", unit: "call" });
});
after(async () => {
  await browser.close();
  await server.stop();
});

test("features of each kind are created, with errors at their fields", () =>
  withPage({ browser, server, allow: [422] }, async (page) => {
    await open(page, server, "entitlements");
    await page.getByText("Features that your application checks appear here.").waitFor();
    await looksRight(page, "no features");
    const form = page.getByRole("dialog", { name: "New feature" });
    const create = async (name, key, fill = async () => undefined) => {
      await open(page, server, "entitlements");
      await page.getByRole("button", { name: "New feature" }).first().click();
      await form.getByLabel("Name").fill(name);
      await form.getByLabel("Key").fill(key);
      await fill();
      await form.getByRole("button", { name: "Create feature" }).click();
    };
    await create("Single sign-on", "Not A Key");
    await form.getByRole("alert").waitFor();
    assert.equal(await form.getByLabel("Key").getAttribute("aria-invalid"), "true");
    await form.getByLabel("Key").fill("sso");
    await form.getByRole("button", { name: "Create feature" }).click();
    await page.getByRole("heading", { name: "Single sign-on", level: 1 }).waitFor();
    await looksRight(page, "feature");
    await create("Projects", "projects", async () => {
      await form.getByLabel("Kind").selectOption("limit");
      await form.getByLabel("Per unit of the subscription's quantity").check();
    });
    await page.getByRole("heading", { name: "Projects", level: 1 }).waitFor();
    await create("API calls", "api-calls", async () => {
      await form.getByLabel("Kind").selectOption("quota");
      await form.getByLabel("Meter").selectOption({ label: "API calls" });
      await form.getByLabel("Period").selectOption("month");
      await looksRight(page, "new feature");
    });
    await page.getByRole("heading", { name: "API calls", level: 1 }).waitFor();
    await page.getByRole("link", { name: "API calls" }).waitFor();
    const stored = await server.api("GET", "/features");
    assert.deepEqual(stored.map(({ key, kind, per_unit, period }) => [key, kind, per_unit, period]), [
      ["api-calls", "quota", false, "month"],
      ["projects", "limit", true, null],
      ["sso", "boolean", false, null],
    ]);
  }));

test("38 a grant is changed, and the user's page shows the effect", () =>
  withPage({ browser, server, allow: [422] }, async (page) => {
    await open(page, server, "plans/pro");
    await page.getByRole("button", { name: "Change grants" }).click();
    const form = page.getByRole("dialog", { name: "Change grants" });
    await form.getByLabel("Single sign-on").selectOption("true");
    await form.getByLabel("Projects").fill("many");
    await form.getByLabel("API calls").fill("unlimited");
    await form.getByRole("button", { name: "Save changes" }).click();
    await form.getByRole("alert").waitFor();
    assert.equal(await form.getByLabel("Projects").getAttribute("aria-invalid"), "true");
    await looksRight(page, "grants with an error");
    await form.getByLabel("Projects").fill("5");
    await form.getByRole("region", { name: "Changes" }).getByText("Single sign-on: Not granted → Yes").waitFor();
    await form.getByRole("button", { name: "Save changes" }).click();
    await announced(page, "Grants changed");
    assert.deepEqual((await server.api("GET", "/subscription-plans/pro")).entitlements, { "api-calls": "unlimited", projects: 5, sso: true });
    await page.getByRole("table", { name: "Grants", exact: true }).getByRole("row", { name: /Projects.*Limit.*5/ }).waitFor();
    await looksRight(page, "plan with grants");

    await open(page, server, `users/${ada.user_id}`);
    await page.getByRole("tab", { name: "Entitlements" }).click();
    const rows = page.getByRole("table", { name: "Entitlements", exact: true });
    await rows.getByRole("row", { name: /projects.*Limit.*15/ }).waitFor();
    await rows.getByRole("row", { name: /api-calls.*Quota.*Unlimited/ }).waitFor();
    await looksRight(page, "user with entitlements");

    await open(page, server, "entitlements");
    await page.getByRole("table", { name: "Plans by features", exact: true }).getByRole("row", { name: /Pro.*Unlimited.*5.*Yes/ }).waitFor();
    await looksRight(page, "entitlements");
  }));

test("a subscription overrides a grant, and takes it back", () =>
  withPage({ browser, server }, async (page) => {
    await open(page, server, `subscriptions/${ada.id}`);
    const form = page.getByRole("dialog", { name: "Change overrides" });
    const set = async (value) => {
      await page.getByRole("button", { name: "Change overrides" }).click();
      await form.getByLabel("Single sign-on").selectOption(value);
      await form.getByRole("button", { name: "Save changes" }).click();
      await announced(page, "Overrides changed");
    };
    await set("false");
    assert.deepEqual((await server.api("GET", `/subscriptions/${ada.id}`)).entitlements, { sso: false });
    const row = page.getByRole("table", { name: "Grants", exact: true }).getByRole("row", { name: /Single sign-on/ });
    await row.getByText("No").first().waitFor();
    await looksRight(page, "subscription with overrides");
    await page.reload();
    await set("");
    assert.deepEqual((await server.api("GET", `/subscriptions/${ada.id}`)).entitlements, {});
  }));

test("a feature is changed and deactivated; a viewer sees it and no action", () =>
  withPage({ browser, server }, async (page) => {
    await open(page, server, "entitlements/sso");
    await page.keyboard.press("e");
    const form = page.getByRole("dialog", { name: "Edit feature" });
    await form.getByLabel("Description").fill("SAML and OpenID Connect");
    await form.getByRole("button", { name: "Save changes" }).click();
    await announced(page, "Feature changed");
    await page.getByRole("button", { name: "Deactivate" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Deactivate feature" }).click();
    await announced(page, "Feature deactivated");
    assert.equal((await server.api("GET", "/features/sso")).is_active, false);
    await withPage({ browser, server, role: "viewer" }, async (other) => {
      for (const path of ["entitlements", "entitlements/sso", "plans/pro", `subscriptions/${ada.id}`]) {
        await open(other, server, path);
        await other.getByText("Your role can only view this page.").first().waitFor();
        assert.equal(await other.getByRole("button", { name: /^(New|Edit|Change|Deactivate)/ }).count(), 0, path);
      }
    });
  }));

test("members are added up to the limit of seats, and removed", () =>
  withPage({ browser, server, allow: [409] }, async (page) => {
    await server.api("POST", "/features", { key: "seats", name: "Seats", kind: "limit" });
    const team = await server.subscription("owner@example.com", "pro", { entitlements: { seats: 2 } });
    await server.user("bob@example.com");
    await server.user("eve@example.com");
    await open(page, server, `subscriptions/${team.id}`);
    await page.getByRole("tab", { name: "Members" }).click();
    await page.getByText("Seats: 1 of 2.").waitFor();
    const form = page.getByRole("dialog", { name: "Add member" });
    const add = async (address) => {
      await page.getByRole("button", { name: "Add member" }).click();
      await form.getByLabel("User").fill(address);
      await form.getByRole("button", { name: "Add member" }).click();
    };
    await add("bob@example.com");
    await announced(page, "Member added");
    await page.getByRole("table", { name: "Members", exact: true }).getByRole("link", { name: "bob@example.com" }).waitFor();
    await page.getByText("Seats: 2 of 2.").waitFor();
    await looksRight(page, "members");
    await add("eve@example.com");
    await form.getByRole("alert").getByRole("link", { name: "seat_limit" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Remove bob@example.com" }).click();
    await announced(page, "Member removed");
    await page.getByText("Seats: 1 of 2.").waitFor();
  }));
