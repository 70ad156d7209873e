// Webhook endpoints (test 37 of the contract), with a receiver on loopback.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { expectNoViolations, launch, open, Server, withPage } from "../harness.mjs";

const HOSTILE = `<img src=x onerror="document.title='owned'">`;

let server, browser, receiver, url;
/** The next responses of the receiver; 200 if there is none. */
const statuses = [];
const received = [];

before(async () => {
  server = await Server.startWith({ PERENNIAL_WEBHOOKS_PRIVATE_NETWORKS: "127.0.0.0/8" });
  browser = await launch();
  receiver = createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      received.push(JSON.parse(Buffer.concat(chunks).toString()));
      response.writeHead(statuses.shift() ?? 200, { "content-type": "text/html" }).end(HOSTILE);
    });
  });
  await new Promise((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${receiver.address().port}/hooks`;
});
after(async () => {
  await browser.close();
  await server.stop();
  receiver.closeAllConnections();
  receiver.close();
});

const status = (page, text) => page.getByRole("status").filter({ hasText: text }).waitFor();

/** A row of a table of the tab, read again until it is there. */
async function row(page, tab, name) {
  const found = page.getByRole("table", { name: tab }).getByRole("row", { name });
  for (let attempt = 0; attempt < 100 && (await found.count()) === 0; attempt += 1) {
    await page.reload();
    await page.getByRole("tab", { name: tab }).click();
    await page.waitForTimeout(100);
  }
  return found.first();
}

test("37 an endpoint: create, test event, resend, rotate; the secret is shown once", () =>
  withPage({ browser, server, allow: [422] }, async (page) => {
    await open(page, server, "webhooks");
    await page.getByText("Endpoints that receive events appear here.").waitFor();
    await page.getByRole("button", { name: "New endpoint" }).click();
    const form = page.getByRole("dialog", { name: "New endpoint" });
    await form.getByLabel("URL").fill("ftp://example.com");
    await form.getByRole("button", { name: "Create endpoint" }).click();
    await form.getByRole("alert").waitFor();
    assert.equal(await form.getByLabel("URL").getAttribute("aria-invalid"), "true");
    await form.getByLabel("URL").fill(url);
    await form.getByLabel("Event types").fill("plan.*");
    await form.getByRole("button", { name: "Create endpoint" }).click();
    const shown = page.getByRole("dialog", { name: "Signing secret" });
    const first = await shown.locator("code").innerText();
    assert.match(first, /^whsec_/);
    await expectNoViolations(page, "secret");
    await shown.getByRole("button", { name: "Close" }).click();
    await page.getByRole("heading", { name: url, level: 1 }).waitFor();

    await page.getByRole("button", { name: "Send test event" }).click();
    await status(page, "Test event succeeded: 200");
    assert.equal(received.at(-1).test, true);
    await page.getByRole("table", { name: "Attempts" }).getByRole("row", { name: /webhook\.ping/ }).waitFor();
    assert.equal(await page.locator("main img").count(), 0);

    await server.plan({ slug: "hooked" });
    const attempt = await row(page, "Attempts", /plan\.created/);
    const count = received.length;
    await attempt.getByRole("button", { name: "Resend" }).click();
    await status(page, "Event queued");
    for (let wait = 0; wait < 100 && received.length === count; wait += 1) {
      await page.waitForTimeout(50);
    }
    assert.equal(received.at(-1).type, "plan.created");
    assert.equal(received.at(-1).id, received[count - 1].id);

    await page.getByRole("button", { name: "Rotate secret" }).click();
    await page.getByRole("dialog", { name: "Rotate secret" }).getByRole("button", { name: "Rotate secret" }).click();
    const second = await shown.locator("code").innerText();
    assert.match(second, /^whsec_/);
    assert.notEqual(second, first);
    await shown.getByRole("button", { name: "Close" }).click();
    await page.reload();
    await page.getByRole("heading", { name: url, level: 1 }).waitFor();
    await page.getByRole("tab", { name: "JSON" }).click();
    for (const secret of [first, second]) {
      assert.ok(!(await page.locator("body").innerText()).includes(secret));
      assert.ok(!(await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state]))).includes(secret));
    }
  }));

test("37 an endpoint: edit, undelivered events, retry, disable and enable", () =>
  withPage({ browser, server }, async (page) => {
    const endpoint = await server.api("POST", "/webhook-endpoints", { url: `${url}/second`, types: ["plan.*"] });
    await open(page, server, `webhooks/${endpoint.id}`);
    await page.getByRole("button", { name: "Edit" }).click();
    const form = page.getByRole("dialog", { name: "Edit endpoint" });
    await form.getByLabel("Description").fill("Second");
    await form.getByRole("region", { name: "Changes" }).getByText("Second").waitFor();
    await form.getByRole("button", { name: "Save changes" }).click();
    await status(page, "Endpoint changed");

    statuses.push(500, 500);
    await server.plan({ slug: "lost" });
    const waiting = await row(page, "Undelivered", /plan\.created/);
    await waiting.getByText("500").waitFor();
    await page.getByRole("button", { name: "Retry undelivered" }).click();
    await page.getByRole("status").filter({ hasText: /1 event queued/ }).waitFor();

    await page.getByRole("button", { name: "Disable" }).click();
    await page.getByRole("dialog", { name: "Disable endpoint" }).getByRole("button", { name: "Disable endpoint" }).click();
    await status(page, "Endpoint disabled");
    await page.getByRole("button", { name: "Retry undelivered" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Enable" }).click();
    await status(page, "Endpoint enabled");
    await page.getByRole("button", { name: "Disable" }).waitFor();
    const entries = page.getByRole("list", { name: "Timeline" }).getByRole("listitem");
    await entries.nth(3).waitFor();
  }));
