// Connections to payment providers (test 39 of the contract). They are created on the command line.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, looksRight, open, Server, withPage } from "../harness.mjs";

const SECRET = "whsec_browser_tests";

let server, browser, id;
before(async () => {
  server = await Server.start();
  browser = await launch();
});
after(async () => {
  await browser.close();
  await server.stop();
});

function add() {
  const file = (name, text) => {
    const path = join(server.directory, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  // Nothing listens there: what is received waits.
  const flags = ["--base-url", "http://127.0.0.1:9", "--allow-http", "--allow-private-addresses", "--api-key-file", file("key", "rk_test_1"), "--webhook-secret-file", file("secret", SECRET)];
  const added = JSON.parse(server.command("connection", "add", "stripe", "--name", "Main account", ...flags, "--json"));
  return (added.data ?? added).id;
}

async function receive(body) {
  const text = JSON.stringify(body);
  const at = Math.floor(Date.now() / 1000);
  const signature = createHmac("sha256", SECRET).update(`${at}.${text}`).digest("hex");
  // Servers use a new connection within seconds.
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const response = await fetch(`${server.base}/hooks/${id}`, { method: "POST", headers: { "stripe-signature": `t=${at},v1=${signature}` }, body: text });
    if (response.status === 200) {
      return;
    }
    assert.equal(response.status, 404, await response.text());
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.fail("the connection is not served");
}

test("39 a connection: empty, then with inbox, drift and commands", () =>
  withPage({ browser, server }, async (page) => {
    await open(page, server, "connections");
    await page.getByText(/perennial connection add stripe/).waitFor();
    await looksRight(page, "no connections");
    id = add();
    await receive({ id: "evt_1", type: "customer.subscription.updated", livemode: true, data: { object: { object: "subscription", id: "sub_1" } } });
    await open(page, server, "connections");
    await page.getByRole("table", { name: "Connections", exact: true }).getByRole("row", { name: /Main account.*Stripe.*Live/ }).waitFor();
    await looksRight(page, "connections");
    // A sweep needs a provider; the event that it would write is put in the response.
    await page.route("**/events?*connection.drift*", (route) => {
      const data = { object: "subscription", external_id: "sub_1", record_id: "sub_01", fields: { status: { ours: "active", theirs: "cancelled" } }, missing: false, repaired: true };
      const event = { id: "evt_01", type: "connection.drift", timestamp: "2026-11-16T10:00:00Z", record_id: id, data, before: null, client_id: null, operator_id: null, request_id: `${id}/sweep` };
      return route.fulfill({ json: { data: [event], page: { next_cursor: null, has_more: false, limit: 100 } } });
    });
    await page.getByRole("link", { name: "Main account" }).click();
    await page.getByRole("heading", { name: "Main account", level: 1 }).waitFor();
    await page.getByRole("table", { name: "Inbox", exact: true }).getByRole("row", { name: /customer\.subscription\.updated.*Waiting.*sub_1/ }).waitFor();
    await page.getByText(`perennial connection reconcile ${id}`).waitFor();
    await page.getByText(`perennial connection retry ${id}`).waitFor();
    await looksRight(page, "connection");
    await page.getByRole("tab", { name: "Drift" }).click();
    await page.getByRole("table", { name: "Drift", exact: true }).getByRole("row", { name: /Subscription sub_1.*Status.*active.*cancelled.*Yes/ }).waitFor();
    await looksRight(page, "drift");
  }));

test("a subscription that a connection manages has no actions", () =>
  withPage({ browser, server }, async (page) => {
    await server.plan();
    const managed = await server.subscription("managed@example.com");
    await page.route(`**/subscriptions/${managed.id}`, async (route) => {
      if (route.request().resourceType() === "document") {
        return route.continue();
      }
      return route.fulfill({ json: { data: { ...(await server.api("GET", `/subscriptions/${managed.id}`)), managed_by: id } } });
    });
    await open(page, server, `subscriptions/${managed.id}`);
    await page.getByText("Managed by Main account").waitFor();
    assert.equal(await page.getByRole("button", { name: /^(Change plan|Cancel|Edit|Pause)$/ }).count(), 0);
    await looksRight(page, "managed subscription");
  }));
