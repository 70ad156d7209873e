// WCAG 2.2 AA on every page in both themes, at 320 px (which is 400 %) and with dialogs open (tests 1 to 4, 25, 26, 31).

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { expectNoViolations, expectNoViolationsInDark, fits, launch, open, Server, withPage } from "../harness.mjs";

let server, browser, paths, records;
before(async () => {
  server = await Server.start();
  browser = await launch();
  await server.plan();
  const subscription = await server.subscription("ada@example.com");
  const payment = await server.api("POST", "/subscription-payments", { subscription_id: subscription.id, amount: 29, currency: "USD", status: "completed" });
  const [client] = await server.api("GET", "/clients");
  const endpoint = await server.api("POST", "/webhook-endpoints", { url: "https://hooks.example.com/perennial", is_active: false });
  let event;
  while (event === undefined) {
    [event] = await server.api("GET", `/events?record_id=${subscription.id}`);
  }
  paths = ["", "subscriptions", `subscriptions/${subscription.id}`, "plans", "plans/pro", "payments", `payments/${payment.id}`, "users", `users/${subscription.user_id}`, "events", `events/${event.id}`, "clients", `clients/${client.id}`, "operators", "settings", "nothing", "webhooks", `webhooks/${endpoint.id}`];
  const coupon = await server.api("POST", "/coupons", { code: "SPRING", percent: 25, duration: "once" });
  const rate = await server.api("POST", "/tax-rates", { name: "VAT", percentage: 19 });
  const meter = await server.api("POST", "/meters", { slug: "calls", name: "API calls", aggregation: "sum" });
  const feature = await server.api("POST", "/features", { key: "sso", name: "Single sign-on", kind: "boolean" });
  const billed = await server.subscription("billed@example.com", "pro", { billing: { collection: "manual" } });
  const invoice = await server.api("POST", "/invoices", { subscription_id: billed.id, lines: [{ description: "Set-up", unit_price: 10 }] });
  await server.api("POST", `/invoices/${invoice.id}/finalize`);
  records = { plan: "plans/pro", coupon: `coupons/${coupon.id}`, rate: `tax-rates/${rate.id}`, meter: `meters/${meter.id}`, feature: `entitlements/${feature.key}`, billed: `subscriptions/${billed.id}`, invoice: `invoices/${invoice.id}`, user: `users/${billed.user_id}` };
  paths.push("coupons", "tax-rates", "meters", "invoices", "credit-notes", "entitlements", "connections", ...Object.values(records));
});
after(async () => {
  await browser.close();
  await server.stop();
});

test("01, 02 and 04 axe finds nothing on any page: light and dark, 1280, 640 and 320 px", () =>
  withPage({ browser, server }, async (page) => {
    for (const path of paths) {
      await open(page, server, path);
      assert.equal(await page.locator("h1").count(), 1, path);
      await expectNoViolationsInDark(page, path);
      for (const [width, height] of [[640, 450], [320, 800], [1280, 900]]) {
        await page.setViewportSize({ width, height });
        // Plots follow the size of the window in the next frame.
        await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
        await expectNoViolations(page, `${path}, ${width} px`);
        await fits(page, `${path}, ${width} px`);
      }
    }
  }));

test("01 and 02 the sign-in page", async () => {
  for (const colorScheme of ["light", "dark"]) {
    await withPage({ browser, server, role: null, options: { colorScheme }, allow: [401] }, async (page) => {
      await open(page, server, "plans");
      await expectNoViolations(page, "sign in");
    });
  }
});

test("03 axe finds nothing with each dialog open", async () => {
  const dialogs = [
    ["subscriptions", "New subscription"],
    [paths[2], "Change plan"],
    [paths[2], "Cancel"],
    [paths[2], "Edit"],
    ["plans", "New plan"],
    ["plans/pro", "Edit"],
    ["plans/pro", "Delete"],
    ["payments", "Record payment"],
    [paths[6], "Change status"],
    ["users", "New user"],
    [paths[8], "Edit"],
    [paths[8], "End all sessions"],
    [paths[8], "Erase user"],
    ["clients", "New public client"],
    [paths[12], "Edit"],
    ["operators", "Invite operator"],
    ["webhooks", "New endpoint"],
    [paths[17], "Edit"],
    [paths[17], "Rotate secret"],
    ["plans", "Keyboard shortcuts"],
    ["coupons", "New coupon"],
    [records.coupon, "Deactivate"],
    ["tax-rates", "New tax rate"],
    ["meters", "New meter"],
    [records.meter, "Edit"],
    ["entitlements", "New feature"],
    [records.feature, "Edit"],
    [records.plan, "Change billing"],
    [records.plan, "Change grants"],
    [records.billed, "Change plan"],
    [records.billed, "Change overrides"],
    [records.invoice, "Record payment"],
    [records.invoice, "New credit note"],
    [records.invoice, "Mark uncollectible"],
    [records.invoice, "Void"],
  ];
  await withPage({ browser, server }, async (page) => {
    for (const [path, button] of dialogs) {
      await open(page, server, path);
      await page.getByRole("button", { name: button, exact: true }).click();
      await page.getByRole("dialog").waitFor();
      await expectNoViolations(page, `${path}: ${button}`);
      await expectNoViolationsInDark(page, `${path}: ${button}`);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    }
  });
});

test("25 with the keyboard only: from the overview to a record and back", () =>
  withPage({ browser, server }, async (page) => {
    await page.keyboard.press("g");
    await page.keyboard.press("s");
    await page.getByRole("heading", { name: "Subscriptions", level: 1 }).waitFor();
    await page.getByRole("link", { name: "ada@example.com" }).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.tagName), "H1");
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "ada@example.com", level: 1 }).waitFor();
    await page.keyboard.press("e");
    await page.getByRole("dialog", { name: "Edit subscription" }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("g");
    await page.keyboard.press("o");
    await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("ada@");
    await page.getByRole("option", { name: /ada@example.com/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "ada@example.com", level: 1 }).waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).getByRole("checkbox").click();
    await page.keyboard.press("Escape");
    await page.keyboard.press("g");
    await page.keyboard.press("s");
    await page.waitForTimeout(100);
    assert.ok(page.url().includes("/users/"));
  }));

test("the first Tab is on the link to the content, and an ID can be copied", () =>
  withPage({ browser, server, options: { permissions: ["clipboard-read", "clipboard-write"] } }, async (page) => {
    await page.goto(`${server.base}/console/${paths[2]}`);
    await page.getByRole("heading", { name: "ada@example.com", level: 1 }).waitFor();
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Skip to content");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.activeElement?.tagName === "H1");
    await page.getByRole("button", { name: "Copy ID" }).first().click();
    await page.getByRole("status").filter({ hasText: "Copied" }).waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), paths[2].split("/").at(-1));
  }));

test("26 a dialog takes the focus, Escape closes it, and the focus returns", () =>
  withPage({ browser, server }, async (page) => {
    await open(page, server, paths[2]);
    const button = page.getByRole("button", { name: "Cancel", exact: true });
    await button.click();
    const dialog = page.getByRole("dialog", { name: "Cancel subscription" });
    const focusIsOn = (text) => page.waitForFunction((expected) => document.activeElement?.textContent === expected, text);
    await focusIsOn("Keep subscription");
    for (let at = 0; at < 8; at += 1) {
      await page.keyboard.press("Tab");
      const isOutside = await page.evaluate(() => document.activeElement !== document.body && document.activeElement?.closest("dialog") === null);
      assert.equal(isOutside, false);
    }
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await focusIsOn("Cancel");
  }));

test("31 the theme follows the system, is stored, and does not flash", () =>
  withPage({ browser, server, options: { colorScheme: "light" } }, async (page) => {
    const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const light = await background();
    await page.emulateMedia({ colorScheme: "dark" });
    const dark = await background();
    assert.notEqual(light, dark);
    await page.getByRole("button", { name: "Theme: auto" }).click();
    assert.equal(await background(), light);
    await page.getByRole("button", { name: "Theme: light" }).click();
    await page.emulateMedia({ colorScheme: "light" });
    await page.addInitScript(() => {
      new PerformanceObserver((list) => {
        window.atPaint ??= list.getEntries().length > 0 ? getComputedStyle(document.documentElement).backgroundColor : undefined;
      }).observe({ type: "paint", buffered: true });
    });
    await page.reload();
    await page.getByRole("button", { name: "Theme: dark" }).waitFor();
    assert.equal(await background(), dark);
    assert.equal(await page.evaluate(() => window.atPaint), dark);
  }));
