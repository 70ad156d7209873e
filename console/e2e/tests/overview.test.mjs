// The figures of the overview (tests 22 and 23 of the contract) as the API returns them. `worked_example.test.mjs` has the example with
// its own clock.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { expectNoViolations, fits, launch, open, Server, watchShift, withPage } from "../harness.mjs";

let server, browser;
before(async () => {
  server = await Server.start();
  browser = await launch();
  await server.plan({ slug: "starter", name: "Starter", price: 9 });
  await server.plan();
  await server.plan({ slug: "team", name: "Team", price: 79 });
  await server.subscription("ada@example.com", "pro");
  await server.subscription("ben@example.com", "starter");
  const lost = await server.subscription("cyd@example.com", "team");
  // Until the ledger has read the events.
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const month = (await server.api("GET", "/analytics/revenue")).at(-1);
    if (month.customers_end === 3) {
      break;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await server.api("PUT", `/subscriptions/${lost.id}`, { quantity: 2 });
});
after(async () => {
  await browser.close();
  await server.stop();
});

/** Until the ledger has this MRR. */
async function settled(mrr) {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const month = (await server.api("GET", "/analytics/revenue")).at(-1);
    if (month.end === mrr) {
      return month;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return assert.fail(`MRR did not become ${mrr}`);
}

const text = (value) => new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" }).format(value);

test("22 tiles, tables and CSV equal the API", () =>
  withPage({ browser, server }, async (page) => {
    const month = await settled(29 + 9 + 158);
    await open(page, server, "");
    await page.getByText(/Data as of .* UTC/).waitFor();
    const tile = (name) => page.getByRole("group", { name, exact: true });
    await tile("MRR").getByText("$196.00").waitFor();
    await tile("ARR").getByText("$2,352.00").waitFor();
    await tile("Customers").getByText("3", { exact: true }).waitFor();
    await tile("ARPU").getByText("$65.33").waitFor();
    for (const name of ["Logo churn", "Net revenue retention"]) {
      await tile(name).waitFor();
    }
    await tile("MRR").getByRole("button", { name: "Definition of MRR" }).focus();
    await page.getByRole("tooltip").filter({ hasText: "Monthly recurring revenue" }).first().waitFor();
    const figure = page.getByRole("figure", { name: "MRR movements by month" });
    await figure.getByRole("button", { name: "Show table" }).click();
    const row = page.getByRole("table", { name: "MRR movements by month" }).getByRole("row", { name: new RegExp(month.period) });
    for (const value of [month.new, month.expansion, month.end]) {
      await row.getByText(text(value)).first().waitFor();
    }
    const [download] = await Promise.all([page.waitForEvent("download"), figure.getByRole("button", { name: "Export CSV" }).click()]);
    const lines = readFileSync(await download.path(), "utf8").trim().split("\r\n");
    assert.equal(lines[0], "Period,New,Expansion,Reactivation,Contraction,Churned,End");
    assert.equal(lines.at(-1), [month.period, month.new, month.expansion, month.reactivation, month.contraction, month.churned, month.end].join(","));
    const plans = page.getByRole("table", { name: "MRR by plan" });
    await plans.getByRole("row", { name: "Team, monthly 1 $158.00" }).waitFor();
    for (const name of ["Retention by cohort", "Renewals in the next 7 days", "Latest events"]) {
      await page.getByText(name).first().waitFor();
    }
    await page.getByLabel("Period").selectOption("3");
    await page.waitForURL(/months=3/);
    await tile("MRR").getByText("$196.00").waitFor();
    await expectNoViolations(page, "overview");
  }));

test("23 a bar lists exactly its customers", () =>
  withPage({ browser, server }, async (page) => {
    const month = await settled(29 + 9 + 158);
    await open(page, server, "");
    const figure = page.getByRole("figure", { name: "MRR movements by month" });
    await figure.getByRole("link", { name: `New, ${month.period}: ${text(month.new)}` }).click();
    await page.getByRole("heading", { name: "Movements", level: 1 }).waitFor();
    const rows = page.getByRole("table", { name: "Movements" }).locator("tbody tr");
    await rows.nth(2).waitFor();
    const found = (await rows.locator("td:first-child").allInnerTexts()).sort();
    assert.deepEqual(found, ["ada@example.com", "ben@example.com", "cyd@example.com"]);
    await expectNoViolations(page, "movements");
  }));

test("plans have subscribers and MRR, and the settings the version and the ledger", () =>
  withPage({ browser, server }, async (page) => {
    await settled(29 + 9 + 158);
    await open(page, server, "plans");
    const plans = page.getByRole("table", { name: "Plans" });
    await plans.getByRole("row", { name: /^Team .* 1 \$158\.00/ }).waitFor();
    await open(page, server, "plans/team");
    await page.getByText("$158.00").waitFor();
    await expectNoViolations(page, "plan");
    await open(page, server, "settings");
    const { version } = JSON.parse(readFileSync(new URL("../../../openapi.json", import.meta.url), "utf8")).info;
    await page.getByText(version, { exact: true }).waitFor();
    await page.getByText(/Current, as of .* UTC/).waitFor();
  }));

test("payments by month, and figures that are behind", () =>
  withPage({ browser, server }, async (page) => {
    await page.route(/\/analytics\/revenue\?/, async (route) => {
      const response = await fetch(route.request().url(), { headers: { "client-id": server.environment.PERENNIAL_BOOTSTRAP_CLIENT_ID } });
      const body = await response.json();
      await route.fulfill({ json: { ...body, meta: { ...body.meta, lag_seconds: 301, state: "catching_up" } } });
    });
    await open(page, server, "");
    await page.getByRole("note", { name: "Figures are behind" }).waitFor();
    const figure = page.getByRole("figure", { name: "Payments by month" });
    await figure.getByRole("button", { name: "Show table" }).click();
    await page.getByRole("table", { name: "Payments by month" }).waitFor();
    await expectNoViolations(page, "figures that are behind");
  }));

test("plots are read with the arrow keys", () =>
  withPage({ browser, server }, async (page) => {
    await open(page, server, "");
    const point = page.getByRole("figure", { name: "MRR by day" }).getByRole("slider");
    await point.focus();
    const last = await point.getAttribute("aria-valuetext");
    await page.keyboard.press("ArrowLeft");
    const reads = (wanted, isEqual) => page.waitForFunction(([text, same]) => (document.activeElement.getAttribute("aria-valuetext") === text) === same, [wanted, isEqual]);
    await reads(last, false);
    await page.keyboard.press("End");
    await reads(last, true);
  }));

test("30 the overview keeps its layout while it loads, and large amounts fit", () =>
  withPage({ browser, server }, async (page) => {
    const large = await server.subscription("dee@example.com", "team");
    await server.api("PUT", `/subscriptions/${large.id}`, { quantity: 1_000_000 });
    await settled(29 + 9 + 158 + 79_000_000);
    const shifted = await watchShift(page);
    await open(page, server, "");
    const tiles = page.locator(".tile");
    await tiles.getByText("$948,002,352.00").waitFor();
    await page.getByRole("figure", { name: "Payments by month" }).locator("svg").waitFor();
    await page.waitForTimeout(300);
    const shift = await shifted();
    assert.ok(shift <= 0.02, `layout shift ${shift}`);
    for (const width of [1920, 1760, 1600, 1280, 1024, 1001, 768, 561, 375, 320]) {
      await page.setViewportSize({ width, height: 900 });
      const cut = await tiles.evaluateAll((found) => found.filter((tile) => tile.scrollWidth > tile.clientWidth).map((tile) => tile.innerText));
      assert.deepEqual(cut, [], `at ${width} px`);
      await fits(page, `the overview at ${width} px`);
    }
  }));
