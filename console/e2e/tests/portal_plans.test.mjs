// The customer portal: what is included and used, and the plan of the next period.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { expectNoViolations, launch, Server, withPage } from "../harness.mjs";

let server, browser;
before(async () => {
  server = await Server.start();
  browser = await launch();
  await server.api("PUT", "/organization", { portal: { change: "next_period" } });
  await server.api("POST", "/meters", { slug: "calls", name: "Calls", aggregation: "sum" });
  await server.api("POST", "/features", { key: "sso", name: "Single sign-on", kind: "boolean" });
  await server.api("POST", "/features", { key: "api", name: "API calls", kind: "quota", meter: "calls" });
  const monthly = { price: 10, billing_cycle: "monthly" };
  await server.api("POST", "/subscription-plans", { name: "Basic", slug: "basic", ...monthly, entitlements: { sso: true, api: 1000 } });
  await server.api("POST", "/subscription-plans", { name: "Team", slug: "team", ...monthly, price: 29, features: "Audit log", entitlements: { sso: true, api: 25_000 } });
});
after(async () => {
  await browser.close();
  await server.stop();
});

const visitor = (run, options = {}) => withPage({ browser, server, role: null, ...options }, run);

async function enter(page, user) {
  await page.goto((await server.api("POST", `/users/${user}/portal-link`, {})).url);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("heading", { name: "Your subscriptions", level: 1 }).waitFor();
}

const billed = (email) => server.subscription(email, "basic", { billing: { collection: "manual" } });

test("a customer sees the use of a quota and chooses the plan of the next period, without JavaScript", () =>
  visitor(
    async (page) => {
      const { id, user_id } = await billed("plans@example.com");
      await server.api("POST", "/usage-events", { events: [{ id: "e", subscription_id: id, meter: "calls", value: 640 }] });
      await enter(page, user_id);
      const included = page.getByRole("region", { name: "What is included" });
      await included.getByText("640 of 1,000 used").waitFor();
      await included.getByRole("meter", { name: "API calls used" }).waitFor();
      await page.getByRole("link", { name: "Change plan" }).click();
      await page.getByRole("heading", { name: "Change Basic", level: 1 }).waitFor();
      const team = page.getByRole("region", { name: "Team" });
      await team.getByRole("listitem").filter({ hasText: "Single sign-on" }).getByText("Included").waitFor();
      await team.getByText("25,000 per billing period").waitFor();
      await team.getByRole("button", { name: "Change to Team" }).click();
      await page.getByText("Changes to Team on").waitFor();
      assert.notEqual((await server.api("GET", `/subscriptions/${id}`)).billing.change, null);
      await page.getByRole("link", { name: "Change plan" }).click();
      await page.getByText("Your next plan").waitFor();
      await page.getByRole("button", { name: "Keep current plan" }).click();
      await page.getByRole("heading", { name: "Your subscriptions", level: 1 }).waitFor();
      assert.equal((await server.api("GET", `/subscriptions/${id}`)).billing.change, null);
    },
    { options: { javaScriptEnabled: false } },
  ));

for (const colorScheme of ["light", "dark"]) {
  for (const width of [1000, 320]) {
    test(`axe finds nothing on the pages of plans, ${colorScheme}, ${width} px`, () =>
      visitor(
        async (page) => {
          const { id, user_id } = await billed(`plans.${colorScheme}.${width}@example.com`);
          await enter(page, user_id);
          await expectNoViolations(page);
          await page.goto(`${server.base}/portal/subscriptions/${id}/change`);
          await page.getByRole("heading", { name: "Change Basic", level: 1 }).waitFor();
          await expectNoViolations(page);
          const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
          assert.equal(overflow, 0, "nothing scrolls sideways");
        },
        { options: { colorScheme, viewport: { width, height: 800 } } },
      ));
  }
}
