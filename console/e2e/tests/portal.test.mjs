// The customer portal (tests 44 to 49 of the contract), and the link to it on the page of a user.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { expectNoViolations, launch, open, Server, startProvider, withPage } from "../harness.mjs";

let server, browser, provider;
before(async () => {
  server = await Server.start();
  [browser, provider] = await Promise.all([launch(), startProvider()]);
  server.command("provider", "add", "--kind", "oidc", "--issuer", provider.issuer, "--audience", "app", "--portal-client-id", "portal", "--allow-private-addresses");
  await server.plan();
});
after(async () => {
  await browser.close();
  await server.stop();
  provider.close();
});

const link = async (user, body = {}) => (await server.api("POST", `/users/${user}/portal-link`, body)).url;

/** Opens the portal as a user. */
async function enter(page, user, body) {
  await page.goto(await link(user, body));
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("heading", { name: "Your subscriptions", level: 1 }).waitFor();
}

/** A visitor of the portal, without a session of the console. */
const visitor = (run, options = {}) => withPage({ browser, server, role: null, ...options }, run);

test("44 a link: GET twice, then Continue", () =>
  visitor(
    async (page) => {
      const user = await server.user("ada.44@example.com");
      const url = await link(user.id);
      for (let visit = 0; visit < 2; visit += 1) {
        await page.goto(url);
        await page.getByText("Continue as a…@example.com").waitFor();
      }
      await page.getByRole("button", { name: "Continue" }).click();
      await page.getByRole("heading", { name: "Your subscriptions", level: 1 }).waitFor();
      assert.equal(page.url(), `${server.base}/portal/`);
      await page.getByText("ada.44@example.com").waitFor();
      await page.goto(url);
      await page.getByText("This link was already used or has expired.").waitFor();
    },
    { allow: [410] },
  ));

test("45 an expired link leads to the sign-in", () =>
  visitor(
    async (page) => {
      await page.goto(`${server.base}/portal/enter/plk_expired`);
      await page.getByText("This link was already used or has expired.").waitFor();
      await page.getByRole("link", { name: "Sign in" }).click();
      await page.getByRole("heading", { name: "Sign in", level: 1 }).waitFor();
      await page.getByRole("link", { name: "Sign in with 127.0.0.1" }).waitFor();
    },
    { allow: [410] },
  ));

test("46 sign-in at the provider; a wrong state begins no session", () =>
  visitor(
    async (page) => {
      const token = provider.token({ aud: "app", sub: "subject-1", email: "ada@example.com" });
      await server.api("POST", "/authentication/sign-up", { access_token: token, email: "ada@example.com" });
      await page.goto(`${server.base}/portal/`);
      provider.state = "another";
      await page.getByRole("link", { name: "Sign in with 127.0.0.1" }).click();
      await page.getByText("The sign-in failed. Start again.").waitFor();
      await page.goto(`${server.base}/portal/`);
      await page.getByRole("heading", { name: "Sign in", level: 1 }).waitFor();
      provider.state = undefined;
      await page.getByRole("link", { name: "Sign in with 127.0.0.1" }).click();
      await page.getByRole("heading", { name: "Your subscriptions", level: 1 }).waitFor();
      await page.getByText("ada@example.com").waitFor();
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByRole("heading", { name: "Sign in", level: 1 }).waitFor();
    },
    { allow: [400], origins: [provider.issuer] },
  ));

test("47 cancel and resume; another user's subscription is not found", () =>
  visitor(
    async (page) => {
      const own = await server.subscription("own@example.com");
      const other = await server.subscription("other@example.com");
      await enter(page, own.user_id);
      await page.getByRole("link", { name: "Cancel subscription" }).click();
      await page.getByRole("heading", { name: "Cancel Pro?", level: 1 }).waitFor();
      await page.getByText("Access continues until").waitFor();
      await page.getByRole("link", { name: "Keep subscription" }).click();
      await page.getByText("Active").waitFor();
      await page.getByRole("link", { name: "Cancel subscription" }).click();
      await page.getByRole("button", { name: "Cancel subscription" }).click();
      await page.getByText("Cancelled").waitFor();
      assert.equal((await server.api("GET", `/subscriptions/${own.id}`)).status, "cancelled");
      await page.getByRole("button", { name: "Resume subscription" }).click();
      await page.getByText("Active").waitFor();
      const answer = await page.goto(`${server.base}/portal/subscriptions/${other.id}/cancel`);
      assert.equal(answer.status(), 404);
    },
    { allow: [404] },
  ));

test("48 everything works without JavaScript", () =>
  visitor(
    async (page) => {
      const { id, user_id } = await server.subscription("plain@example.com");
      await server.api("POST", "/subscription-payments", { subscription_id: id, amount: 29, currency: "USD", status: "completed" });
      await enter(page, user_id);
      await page.getByRole("navigation", { name: "Portal" }).getByRole("link", { name: "Payments" }).click();
      await page.getByRole("table", { name: "Payments" }).getByText("$29.00").waitFor();
      await page.getByRole("link", { name: "Signed-in devices" }).click();
      await page.getByText("Customer portal").waitFor();
      await page.getByRole("link", { name: "Subscriptions" }).click();
      await page.getByRole("link", { name: "Cancel subscription" }).click();
      await page.getByRole("button", { name: "Cancel subscription" }).click();
      await page.getByRole("button", { name: "Resume subscription" }).waitFor();
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByRole("heading", { name: "Sign in", level: 1 }).waitFor();
    },
    { options: { javaScriptEnabled: false } },
  ));

for (const colorScheme of ["light", "dark"]) {
  for (const width of [1000, 320]) {
    test(`49 axe finds nothing in the portal, ${colorScheme}, ${width} px`, () =>
      visitor(
        async (page) => {
          const { id, user_id } = await server.subscription(`axe.${colorScheme}.${width}@example.com`);
          await server.api("POST", "/subscription-payments", { subscription_id: id, amount: 29, currency: "USD", status: "completed" });
          const url = await link(user_id);
          await page.goto(url);
          await expectNoViolations(page, "enter");
          await page.getByRole("button", { name: "Continue" }).click();
          for (const path of ["", "payments", "sessions", `subscriptions/${id}/cancel`, "sign-in", "nothing"]) {
            await page.goto(`${server.base}/portal/${path}`);
            await expectNoViolations(page, path);
            assert.equal(await page.locator("h1").count(), 1, path);
            const excess = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
            assert.ok(excess <= 0, `${path} scrolls sideways by ${excess} px`);
          }
          await page.goto(url);
          await expectNoViolations(page, "used link");
        },
        { allow: [404, 410], options: { colorScheme, viewport: { width, height: 800 } } },
      ));
  }
}

test("an operator creates a link to the portal, shown once", () =>
  withPage({ browser, server }, async (page, context) => {
    const { user_id } = await server.subscription("linked@example.com");
    await open(page, server, `users/${user_id}`);
    await page.getByRole("button", { name: "Portal link" }).click();
    await page.getByRole("dialog", { name: "Portal link" }).getByRole("button", { name: "Create link" }).click();
    const shown = page.getByRole("dialog", { name: "One-time link" });
    const url = await shown.locator("code").innerText();
    await expectNoViolations(page, "portal link");
    await shown.getByRole("button", { name: "Close" }).click();
    const other = await context.newPage();
    await other.goto(url);
    await other.getByRole("button", { name: "Continue" }).click();
    await other.getByRole("heading", { name: "Your subscriptions", level: 1 }).waitFor();
  }));
