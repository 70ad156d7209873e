// Invoices and credit notes (test 36 of the contract), and the settings that documents need.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { announced, expectNoViolations, launch, looksRight, open, Server, withPage } from "../harness.mjs";

let server, browser, ada;
before(async () => {
  server = await Server.start();
  browser = await launch();
  await server.plan({ name: "Free", slug: "free", price: 0 });
  ada = await server.subscription("ada@example.com", "free", { billing: { collection: "manual" } });
});
after(async () => {
  await browser.close();
  await server.stop();
});

/** A draft of one line, with tax. */
async function draft(unit_price, fields = {}) {
  return await server.api("POST", "/invoices", { subscription_id: ada.id, lines: [{ description: "Set-up", quantity: 2, unit_price }], ...fields });
}

async function issued(unit_price, fields = {}) {
  const { id } = await draft(unit_price, fields);
  return await server.api("POST", `/invoices/${id}/finalize`);
}

test("36 an invoice: finalize, download, void", () =>
  withPage({ browser, server }, async (page) => {
    await open(page, server, "invoices");
    await page.getByText("Invoices of billed subscriptions appear here.").waitFor();
    await looksRight(page, "no invoices");
    const { id } = await draft(50, { memo: "As agreed" });
    await open(page, server, "invoices");
    await page.getByRole("table", { name: "Invoices", exact: true }).getByRole("row", { name: /Draft.*ada@example\.com.*\$100\.00/ }).waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: id, level: 1 }).waitFor();
    await page.getByText("As agreed").waitFor();
    await page.getByRole("table", { name: "Lines", exact: true }).getByRole("row", { name: /Set-up.*Item.*2.*\$50\.00.*\$100\.00/ }).waitFor();
    assert.equal(await page.getByRole("button", { name: /Download|Void|Record payment/ }).count(), 0);
    await looksRight(page, "draft");
    await page.getByRole("button", { name: "Finalize" }).click();
    await announced(page, "Invoice finalized");
    await page.getByRole("heading", { name: "INV-000001", level: 1 }).waitFor();
    assert.equal((await server.api("GET", `/invoices/${id}`)).status, "open");
    await looksRight(page, "open invoice");
    for (const [name, start] of [["Download HTML", "<!"], ["Download PDF", "%PDF"]]) {
      const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name }).click()]);
      assert.match(file.suggestedFilename(), /^INV-000001\.(html|pdf)$/);
      assert.ok(readFileSync(await file.path(), "latin1").toLowerCase().startsWith(start.toLowerCase()), name);
    }
    await page.getByRole("button", { name: "Void" }).click();
    const dialog = page.getByRole("dialog", { name: "Void invoice" });
    await looksRight(page, "void");
    await dialog.getByRole("button", { name: "Void invoice" }).click();
    await announced(page, "Invoice voided");
    assert.equal((await server.api("GET", `/invoices/${id}`)).status, "void");
    await page.getByRole("list", { name: "Timeline" }).getByText("Voided").waitFor();
    // The timeline can be read before the record.
    await page.getByRole("button", { name: "Void" }).waitFor({ state: "detached" });
    assert.equal(await page.getByRole("button", { name: /Void|Finalize|uncollectible/ }).count(), 0);
  }));

test("a payment of an invoice is recorded, and its amount is what is due", () =>
  withPage({ browser, server }, async (page) => {
    const { id } = await issued(20);
    await open(page, server, `invoices/${id}`);
    await page.getByRole("button", { name: "Record payment" }).click();
    const form = page.getByRole("dialog", { name: "Record payment" });
    assert.equal(await form.getByLabel("Amount").inputValue(), "40");
    assert.equal(await form.getByLabel("Subscription").count(), 0);
    await form.getByLabel("Amount").fill("15");
    await form.getByRole("button", { name: "Record payment" }).click();
    await announced(page, "Payment recorded");
    await page.getByText("$25.00").first().waitFor();
    await page.getByRole("button", { name: "Record payment" }).click();
    await form.getByRole("button", { name: "Record payment" }).click();
    await page.locator(".title").getByText("Paid").waitFor();
    await page.getByRole("table", { name: "Payments", exact: true }).getByRole("row", { name: /\$25\.00/ }).waitFor();
    await looksRight(page, "paid invoice");
    await page.getByRole("link", { name: "$25.00" }).click();
    await page.getByRole("heading", { name: "$25.00", level: 1 }).waitFor();
    await page.getByRole("link", { name: id }).waitFor();
  }));

test("an invoice is marked uncollectible", () =>
  withPage({ browser, server }, async (page) => {
    const { id } = await issued(5);
    await open(page, server, `invoices/${id}`);
    await page.getByRole("button", { name: "Mark uncollectible" }).click();
    const dialog = page.getByRole("dialog", { name: "Mark uncollectible" });
    await dialog.getByText("$10.00").waitFor();
    await dialog.getByRole("button", { name: "Mark uncollectible" }).click();
    await announced(page, "Invoice marked uncollectible");
    await page.locator(".title").getByText("Uncollectible").waitFor();
  }));

test("24 invoices are filtered in the URL; the subscription and the user list theirs", () =>
  withPage({ browser, server }, async (page) => {
    const { id, number } = await issued(1);
    await open(page, server, "invoices");
    const rows = page.getByRole("table", { name: "Invoices", exact: true }).locator("tbody tr");
    await page.getByRole("button", { name: "Status" }).click();
    await page.getByLabel("Open", { exact: true }).check();
    await page.waitForURL(/status=open/);
    await page.reload();
    await rows.first().getByText(number).waitFor();
    for (const text of await rows.allInnerTexts()) {
      assert.match(text, /Open/);
    }
    await page.getByLabel("Overdue").selectOption("true");
    await page.getByText("No matching records").waitFor();
    await looksRight(page, "no matching invoices");
    for (const path of [`subscriptions/${ada.id}`, `users/${ada.user_id}`]) {
      await open(page, server, path);
      await page.getByRole("tab", { name: "Invoices" }).click();
      await page.getByRole("table", { name: "Invoices", exact: true }).getByRole("link", { name: number }).click();
      await page.waitForURL(new RegExp(id));
    }
  }));

test("a credit note is created after a confirmation; too much is rejected", () =>
  withPage({ browser, server, allow: [409] }, async (page) => {
    const { id, number } = await issued(30);
    await open(page, server, `invoices/${id}`);
    const form = page.getByRole("dialog", { name: "New credit note" });
    const create = page.getByRole("dialog", { name: "Create credit note" }).getByRole("button", { name: "Create credit note" });
    await page.getByRole("button", { name: "New credit note" }).click();
    await form.getByLabel("Amount").fill("60.01");
    await form.getByRole("button", { name: "Continue" }).click();
    await page.getByText(`$60.01 of invoice ${number} is credited, with its tax.`).waitFor();
    await looksRight(page, "confirmation of a credit note");
    await create.click();
    await form.getByRole("alert").getByRole("link", { name: "credit_exceeds_invoice" }).waitFor();
    await form.getByLabel("Credit", { exact: true }).selectOption("lines");
    await form.getByLabel("Set-up: $60.00").fill("20");
    await form.getByLabel("Reason").fill("Partly used");
    await looksRight(page, "new credit note");
    await form.getByRole("button", { name: "Continue" }).click();
    await create.click();
    await announced(page, "Credit note created");
    await page.getByRole("heading", { name: "CRN-000001", level: 1 }).waitFor();
    await page.getByText("Partly used", { exact: true }).waitFor();
    await looksRight(page, "credit note");
    assert.equal((await server.api("GET", `/invoices/${id}`)).amount_due, 40);
    await page.getByRole("link", { name: number }).click();
    await page.getByRole("tab", { name: "Credit notes" }).click();
    await page.getByRole("link", { name: "CRN-000001" }).waitFor();
    await open(page, server, "credit-notes");
    await page.getByRole("row", { name: /CRN-000001.*ada@example\.com.*\$20\.00/ }).waitFor();
    await looksRight(page, "credit notes");
  }));

test("a viewer sees invoices and no action", () =>
  withPage({ browser, server, role: "viewer" }, async (page) => {
    const { id } = await issued(3);
    await open(page, server, `invoices/${id}`);
    await page.getByText("Your role can only view this page.").waitFor();
    assert.equal(await page.getByRole("button", { name: /Void|Finalize|Record|credit note/ }).count(), 0);
    await open(page, server, "credit-notes");
    await page.getByRole("heading", { name: "Credit notes", level: 1 }).waitFor();
  }));

test("21 an invoice is found by its number or ID", () =>
  withPage({ browser, server }, async (page) => {
    const { id, number } = await issued(4);
    await open(page, server, "plans");
    await page.getByRole("combobox", { name: "Search" }).fill(number);
    await page.getByRole("option", { name: new RegExp(number) }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(id));
  }));

test("the seller, prefixes and tax rates are saved, and errors are at their fields", () =>
  withPage({ browser, server, allow: [422] }, async (page) => {
    const rate = await server.api("POST", "/tax-rates", { name: "VAT", percentage: 20 });
    await open(page, server, "settings");
    await page.getByLabel("Seller", { exact: true }).fill("Perennial GmbH");
    await page.getByLabel("Seller's address").fill("Hauptstr. 1\nBerlin");
    await page.getByLabel("Prefix of invoices").fill("re");
    await page.getByLabel("VAT 20 %").check();
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByRole("alert").waitFor();
    assert.ok(await page.getByRole("alert").evaluate((alert) => alert === document.activeElement && alert.getBoundingClientRect().top >= 0), "the alert is not in view");
    assert.equal(await page.getByLabel("Prefix of invoices").getAttribute("aria-invalid"), "true");
    await page.getByLabel("Prefix of invoices").fill("RE");
    await page.getByRole("button", { name: "Save changes" }).click();
    await announced(page, "Settings saved");
    const { billing } = await server.api("GET", "/organization");
    assert.deepEqual([billing.seller.name, billing.seller.address, billing.invoice_prefix, billing.tax_rate_ids], ["Perennial GmbH", ["Hauptstr. 1", "Berlin"], "RE", [rate.id]]);
    await looksRight(page, "settings");
    const { id } = await issued(10);
    await open(page, server, `invoices/${id}`);
    await page.getByRole("heading", { name: "RE-000001", level: 1 }).waitFor();
    await page.getByText("$4.00 on $20.00").waitFor();
    await page.getByText("Perennial GmbH").first().waitFor();
  }));

test("a billed subscription redeems a coupon; its first invoice has the discount and what happens next", () =>
  withPage({ browser, server, allow: [422] }, async (page) => {
    await server.plan({ name: "Solo", slug: "solo", price: 40 });
    await server.api("POST", "/coupons", { code: "SPRING-25", percent: 25, duration: "repeating", periods: 3 });
    await server.user("coupon@example.com");
    await open(page, server, "subscriptions");
    await page.getByRole("button", { name: "New subscription" }).first().click();
    const form = page.getByRole("dialog", { name: "New subscription" });
    await form.getByLabel("Customer").fill("coupon@example.com");
    await form.getByLabel("Plan", { exact: true }).selectOption("solo");
    await form.getByLabel("Billing", { exact: true }).selectOption("billed");
    await form.getByLabel("Coupon").fill("NO-SUCH-CODE");
    await form.getByRole("button", { name: "Create subscription" }).click();
    await form.getByRole("alert").waitFor();
    assert.equal(await form.getByLabel("Coupon").getAttribute("aria-invalid"), "true");
    await form.getByLabel("Coupon").fill("spring-25");
    await form.getByRole("button", { name: "Create subscription" }).click();
    await announced(page, "Subscription created");
    await page.getByText(/2 periods left/).waitFor();
    await page.getByRole("tab", { name: "Invoices" }).click();
    const table = page.getByRole("table", { name: "Invoices", exact: true });
    for (let attempt = 0; attempt < 50 && (await table.getByText("Open").count()) === 0; attempt += 1) {
      await page.reload();
      await page.getByRole("tab", { name: "Invoices" }).click();
      await page.waitForTimeout(100);
    }
    await table.getByRole("link").first().click();
    await page.getByRole("table", { name: "Lines", exact: true }).getByRole("row", { name: /Solo.*Fee.*\$10\.00.*\$40\.00/ }).waitFor();
    await page.getByText("Attempts to collect").waitFor();
    await page.getByText(/^Attempt, /).waitFor();
    await looksRight(page, "cycle invoice");
  }));

test("the HTML document of an invoice and of a credit note", () =>
  withPage({ browser, server }, async (page) => {
    const { id } = await issued(50, { memo: "As agreed" });
    const note = await server.api("POST", "/credit-notes", { invoice_id: id, amount: 10 });
    for (const path of [`/invoices/${id}/document`, `/credit-notes/${note.id}/document`]) {
      // A browser does not send a trusted client's ID. The page has the bytes of the real response, without the sandbox: axe needs timers.
      const response = await fetch(server.base + path, { headers: { "client-id": server.environment.PERENNIAL_BOOTSTRAP_CLIENT_ID } });
      assert.match(response.headers.get("content-security-policy"), /^sandbox; default-src 'none'/);
      const body = await response.text();
      const headers = { "content-type": response.headers.get("content-type"), "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'" };
      await page.route("**/document", (route) => route.fulfill({ status: 200, headers, body }));
      await page.goto(server.base + path);
      await page.getByText("Set-up").first().waitFor();
      await expectNoViolations(page, path);
      await page.unroute("**/document");
    }
  }));
