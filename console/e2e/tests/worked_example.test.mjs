// Test 22 of the contract: the worked example of docs/analytics.md, written through the API of a test organization whose clock
// moves from change to change, and read on the page.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { launch, open, Server, withPage } from "../harness.mjs";

const PLANS = [
  ["starter", "Starter", 9, "monthly"],
  ["pro", "Pro", 29, "monthly"],
  ["team", "Team", 79, "monthly"],
  ["pro-yearly", "Pro yearly", 290, "yearly"],
  ["studio", "Studio", 119, "quarterly"],
  ["pass", "Pass", 4.5, "weekly"],
];
const on = (slug) => ({ subscription_plan_id: slug });
/** The changes in order: the day, the subscription, its user if it is created, and the fields. */
const CHANGES = [
  ["01-05", "s1", "ada", on("pro")],
  ["01-10", "s2", "ben", on("pro-yearly")],
  ["01-12", "s3", "cyd", on("starter")],
  ["01-15", "s4", "dee", on("pro")],
  ["01-20", "s5", "eve", { ...on("pro"), status: "on_trial" }],
  ["02-02", "s4", null, { status: "cancelled", ends_at: "2026-02-15T00:00:00Z" }],
  ["02-03", "s5", null, { status: "active" }],
  ["02-10", "s6", "fay", { ...on("starter"), status: "on_trial" }],
  ["02-15", "s4", null, { status: "expired" }],
  ["02-20", "s3", null, on("team")],
  ["02-24", "s6", null, { status: "expired" }],
  ["03-01", "s7", "gus", on("studio")],
  ["03-03", "s5", null, { status: "past_due" }],
  ["03-12", "s8", "ada", on("team")],
  ["03-24", "s5", null, { status: "unpaid" }],
  ["04-03", "s3", null, on("pro")],
  ["04-06", "s10", "hal", on("pass")],
  ["04-09", "s9", "dee", on("starter")],
  ["04-10", "s7", null, { status: "paused" }],
  ["04-20", "s10", null, { status: "cancelled", ends_at: "2026-05-04T00:00:00Z" }],
];

let server, browser;
before(async () => {
  server = await Server.start();
  browser = await launch();
  server = server.testOrganization("example");
  await server.api("POST", "/test-clock", { now: "2026-01-01T00:00:00Z" });
  for (const [slug, name, price, billing_cycle] of PLANS) {
    await server.plan({ slug, name, price, billing_cycle });
  }
  const [users, subscriptions] = [new Map(), new Map()];
  for (const [day, name, user, fields] of CHANGES) {
    await advance(`2026-${day}T00:00:00Z`);
    if (user === null) {
      await server.api("PUT", `/subscriptions/${subscriptions.get(name)}`, fields);
      continue;
    }
    if (!users.has(user)) {
      users.set(user, (await server.user(`${user}@example.com`)).id);
    }
    const created = await server.api("POST", "/subscriptions", { user_id: users.get(user), ...fields });
    subscriptions.set(name, created.id);
  }
  await advance("2026-04-30T00:00:00Z");
});
after(async () => {
  await browser.close();
  await server.stop();
});

async function advance(now) {
  await server.api("PUT", "/test-clock", { now });
  await until(async () => (await server.api("GET", "/test-clock")).status === "ready");
}

async function until(isTrue) {
  for (let attempt = 0; attempt < 400; attempt += 1) {
    if (await isTrue()) {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail("it did not happen in time");
}

test("22 the worked example: tiles, tables and CSV", () =>
  withPage({ browser, server }, async (page) => {
    await open(page, server, "");
    const tile = (name) => page.getByRole("group", { name, exact: true });
    // The ledger reads the events in the background.
    await until(async () => {
      await page.reload();
      await tile("MRR").waitFor();
      return (await tile("MRR").innerText()).includes("$189.67");
    });
    await tile("ARR").getByText("$2,276.00").waitFor();
    await tile("Customers").getByText("5", { exact: true }).waitFor();
    await tile("ARPU").getByText("$37.93").waitFor();
    // Ratios are those of the last whole month.
    await tile("Logo churn").getByText("25.0 %").waitFor();
    await tile("Net revenue retention").getByText("131.0 %").waitFor();
    const figure = page.getByRole("figure", { name: "MRR movements by month" });
    await figure.getByRole("button", { name: "Show table" }).click();
    const table = page.getByRole("table", { name: "MRR movements by month" });
    for (const [month, ...values] of [
      ["2026-01", "$91.17"],
      ["2026-02", "$29.00", "$70.00", "-$29.00", "$161.17"],
      ["2026-03", "$39.67", "$79.00", "-$29.00", "$250.83"],
      ["2026-04", "$19.50", "$9.00", "-$50.00", "-$39.67", "$189.67"],
    ]) {
      const row = table.getByRole("row", { name: new RegExp(month) });
      for (const value of values) {
        await row.getByText(value).first().waitFor();
      }
    }
    const [download] = await Promise.all([page.waitForEvent("download"), figure.getByRole("button", { name: "Export CSV" }).click()]);
    const lines = readFileSync(await download.path(), "utf8").trim().split("\r\n");
    assert.deepEqual(lines.slice(-4), [
      "2026-01,91.17,0,0,0,0,91.17",
      "2026-02,29,70,0,0,-29,161.17",
      "2026-03,39.67,79,0,0,-29,250.83",
      "2026-04,19.5,0,9,-50,-39.67,189.67",
    ]);
    const plans = page.getByRole("table", { name: "MRR by plan" });
    for (const row of ["Team, monthly 1 $79.00", "Pro, monthly 2 $58.00", "Pro yearly, yearly 1 $24.17", "Pass, weekly 1 $19.50", "Starter, monthly 1 $9.00"]) {
      await plans.getByRole("row", { name: row, exact: true }).waitFor();
    }
  }));
