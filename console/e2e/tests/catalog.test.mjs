// What plans are billed with: coupons, tax rates, meters, and charges for usage.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { announced, launch, looksRight, open, Server, withPage } from "../harness.mjs";

let server, browser;
before(async () => {
  server = await Server.start();
  browser = await launch();
  await server.plan();
});
after(async () => {
  await browser.close();
  await server.stop();
});

test("a coupon is created with all errors at their fields, deactivated and activated", () =>
  withPage({ browser, server, allow: [422] }, async (page) => {
    await open(page, server, "plans");
    await page.getByRole("navigation", { name: "Catalog" }).getByRole("link", { name: "Coupons" }).click();
    await page.getByRole("heading", { name: "Coupons", level: 1 }).waitFor();
    await page.getByText("Coupons that billed subscriptions can redeem appear here.").waitFor();
    await looksRight(page, "no coupons");
    await page.getByRole("button", { name: "New coupon" }).first().click();
    const form = page.getByRole("dialog", { name: "New coupon" });
    await form.getByLabel("Code").fill("no");
    await form.getByLabel("Percent").fill("25");
    await form.getByLabel("Duration").selectOption("repeating");
    await form.getByLabel("Periods").fill("0");
    await form.getByRole("button", { name: "Create coupon" }).click();
    await form.getByRole("alert").waitFor();
    assert.equal(await form.getByLabel("Code").getAttribute("aria-invalid"), "true");
    assert.equal(await form.getByLabel("Periods").getAttribute("aria-invalid"), "true");
    await looksRight(page, "coupon with errors");
    await form.getByLabel("Code").fill("SPRING-25");
    await form.getByLabel("Periods").fill("3");
    await form.getByLabel("Pro, monthly", { exact: true }).check();
    await form.getByRole("button", { name: "Create coupon" }).click();
    await announced(page, "Coupon created");
    await page.getByRole("heading", { name: "SPRING-25", level: 1 }).waitFor();
    await page.getByText("25 %", { exact: true }).waitFor();
    await page.getByText("3 periods").waitFor();
    await page.getByRole("link", { name: "Pro" }).waitFor();
    await looksRight(page, "coupon");
    await page.getByRole("button", { name: "Deactivate" }).click();
    await page.getByRole("dialog", { name: "Deactivate coupon" }).getByRole("button", { name: "Deactivate coupon" }).click();
    await announced(page, "Coupon deactivated");
    const [coupon] = await server.api("GET", "/coupons");
    assert.deepEqual([coupon.is_active, coupon.percent, coupon.periods], [false, 25, 3]);
    await page.getByRole("button", { name: "Activate" }).click();
    await announced(page, "Coupon activated");
    await page.getByRole("list", { name: "Timeline" }).getByRole("listitem").nth(2).waitFor();
  }));

test("a coupon of an amount, and a double click that makes one", () =>
  withPage({ browser, server }, async (page) => {
    const before = (await server.api("GET", "/coupons")).length;
    await open(page, server, "coupons");
    await page.getByRole("button", { name: "New coupon" }).first().click();
    const form = page.getByRole("dialog", { name: "New coupon" });
    await form.getByLabel("Code").fill("FIVE");
    await form.getByLabel("Discount").selectOption("amount");
    await form.getByLabel("Amount").fill("5.50");
    await form.getByRole("button", { name: "Create coupon" }).dblclick();
    await page.getByRole("heading", { name: "FIVE", level: 1 }).waitFor();
    await page.getByText("$5.50").waitFor();
    assert.equal((await server.api("GET", "/coupons")).length, before + 1);
    await open(page, server, "coupons");
    await page.getByRole("table", { name: "Coupons", exact: true }).getByRole("row", { name: /FIVE.*\$5\.50.*Once/ }).waitFor();
    await looksRight(page, "coupons");
  }));

test("a tax rate is created and deactivated", () =>
  withPage({ browser, server }, async (page) => {
    await open(page, server, "tax-rates");
    await page.getByRole("button", { name: "New tax rate" }).first().click();
    const form = page.getByRole("dialog", { name: "New tax rate" });
    await form.getByLabel("Name").fill("VAT");
    await form.getByLabel("Percentage").fill("19");
    await form.getByLabel("Country").fill("de");
    await form.getByRole("button", { name: "Create tax rate" }).click();
    await announced(page, "Tax rate created");
    await page.getByRole("heading", { name: "VAT 19 %", level: 1 }).waitFor();
    await looksRight(page, "tax rate");
    await page.getByRole("button", { name: "Deactivate" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Deactivate tax rate" }).click();
    await announced(page, "Tax rate deactivated");
    await open(page, server, "tax-rates");
    await page.getByRole("row", { name: /VAT.*19 %.*DE.*Inactive/ }).waitFor();
    await looksRight(page, "tax rates");
  }));

test("a meter is created, renamed and deactivated", () =>
  withPage({ browser, server }, async (page) => {
    await open(page, server, "meters");
    await page.getByRole("button", { name: "New meter" }).first().click();
    const form = page.getByRole("dialog", { name: "New meter" });
    await form.getByLabel("Name").fill("Calls");
    await form.getByLabel("Slug").fill("calls");
    await form.getByRole("button", { name: "Create meter" }).click();
    await page.getByRole("heading", { name: "Calls", level: 1 }).waitFor();
    await looksRight(page, "meter");
    await page.keyboard.press("e");
    const edit = page.getByRole("dialog", { name: "Edit meter" });
    await edit.getByLabel("Name").fill("API calls");
    await edit.getByLabel("Unit").fill("call");
    await edit.getByRole("region", { name: "Changes" }).getByText("Name: Calls → API calls").waitFor();
    await edit.getByRole("button", { name: "Save changes" }).click();
    await announced(page, "Meter changed");
    await page.getByRole("heading", { name: "API calls", level: 1 }).waitFor();
    await page.getByRole("button", { name: "Deactivate" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Deactivate meter" }).click();
    await announced(page, "Meter deactivated");
    await open(page, server, "meters");
    await page.getByRole("row", { name: /API calls.*Sum of values.*call.*Inactive/ }).waitFor();
    await looksRight(page, "meters");
  }));

test("a viewer sees the catalog and no action", () =>
  withPage({ browser, server, role: "viewer" }, async (page) => {
    const [coupon] = await server.api("GET", "/coupons");
    for (const path of ["coupons", `coupons/${coupon.id}`, "tax-rates", "meters", "plans/pro"]) {
      await open(page, server, path);
      await page.getByText("Your role can only view this page.").first().waitFor();
      assert.equal(await page.getByRole("button", { name: /^(New|Edit|Change|Deactivate|Activate)/ }).count(), 0, path);
    }
  }));

test("the server is unavailable: a message, then the list", () =>
  withPage({ browser, server, allow: [503] }, async (page) => {
    await page.route("**/meters?*", (route) => route.fulfill({ status: 503, json: { status: 503, code: "overloaded", detail: "Too many requests wait." } }));
    await open(page, server, "meters");
    await page.getByRole("alert").getByText("Too many requests wait.").waitFor();
    await page.unroute("**/meters?*");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("table", { name: "Meters", exact: true }).waitFor();
  }));

test("charges of every model are saved, with errors at their inputs", () =>
  withPage({ browser, server, allow: [422] }, async (page) => {
    const meter = await server.api("POST", "/meters", { slug: "storage", name: "Storage", aggregation: "max", unit: "GB" });
    const rate = await server.api("POST", "/tax-rates", { name: "GST", percentage: 10 });
    await server.plan({ name: "Metered", slug: "metered", price: 10 });
    await open(page, server, "plans/metered");
    await page.getByRole("button", { name: "Change billing" }).click();
    const form = page.getByRole("dialog", { name: "Change billing" });
    const charge = (number) => form.getByRole("group", { name: `Charge ${number}` });
    const add = async (number, name, model) => {
      await form.getByRole("button", { name: "Add charge" }).click();
      await charge(number).getByLabel("Charge name").fill(name);
      await charge(number).getByLabel("Meter").selectOption({ label: "Storage" });
      await charge(number).getByLabel("Model").selectOption(model);
    };
    await form.getByLabel("Trial (days)").fill("14");
    await form.getByLabel("GST 10 %").check();
    await add(1, "Base", "per_unit");
    await charge(1).getByLabel("Unit price").fill("cheap");
    await form.getByText("This makes version 2.").waitFor();
    await form.getByRole("button", { name: "Save changes" }).click();
    await form.getByRole("alert").waitFor();
    assert.equal(await charge(1).getByLabel("Unit price").getAttribute("aria-invalid"), "true");
    assert.equal(await form.locator("small.error").count(), 1);
    await looksRight(page, "charges with errors");
    await charge(1).getByLabel("Unit price").fill("0.0042");
    await add(2, "Tiers", "graduated");
    await charge(2).getByRole("button", { name: "Add tier" }).click();
    const tier = (number) => charge(2).getByRole("group", { name: `Tier ${number}` });
    await tier(1).getByLabel("Up to").fill("100");
    await tier(1).getByLabel("Unit price").fill("0.1");
    await tier(2).getByLabel("Unit price").fill("0.08");
    await tier(2).getByLabel("Flat price").fill("5");
    await add(3, "Boxes", "package");
    await charge(3).getByLabel("Package size").fill("1000");
    await charge(3).getByLabel("Package price").fill("5");
    await add(4, "Mistake", "volume");
    await form.getByRole("button", { name: "Remove charge 4" }).click();
    await looksRight(page, "charges");
    await form.getByRole("button", { name: "Save changes" }).click();
    await announced(page, "Billing changed");
    const { version, billing } = await server.api("GET", "/subscription-plans/metered");
    assert.deepEqual([version, billing.trial_days, billing.tax_rate_ids, billing.charges.length], [2, 14, [rate.id], 3]);
    assert.deepEqual(billing.charges.map(({ name, model, meter_id }) => [name, model, meter_id]), [["Base", "per_unit", meter.id], ["Tiers", "graduated", meter.id], ["Boxes", "package", meter.id]]);
    assert.deepEqual(billing.charges[1].tiers, [{ up_to: 100, unit_price: 0.1, flat_price: 0 }, { up_to: null, unit_price: 0.08, flat_price: 5 }]);
    const table = page.getByRole("table", { name: "Charges", exact: true });
    await table.getByRole("row", { name: /Base.*Storage.*Per unit.*\$0\.0042 per GB/ }).waitFor();
    await table.getByRole("row", { name: /Tiers.*up to 100: \$0\.10; above: \$0\.08 \+ \$5\.00/ }).waitFor();
    await table.getByRole("row", { name: /Boxes.*\$5\.00 per 1000 GB/ }).waitFor();
    await looksRight(page, "plan with charges");
    // Nothing changes until something is typed.
    await page.getByRole("button", { name: "Change billing" }).click();
    await form.getByText("Nothing changes yet.").waitFor();
    const requests = [];
    page.on("request", (request) => request.method() === "PUT" && requests.push(request.url()));
    await form.getByRole("button", { name: "Save changes" }).click({ force: true });
    await form.getByText("Nothing changes yet.").waitFor();
    assert.deepEqual(requests, []);
  }));
