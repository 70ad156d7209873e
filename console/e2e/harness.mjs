// A server of the debug build on an empty store, a browser, and rules that every test has: a violation of the content security
// policy, an error on the console, or a request to another origin fails it.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { generateKeyPairSync, randomBytes, sign as signBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const root = join(import.meta.dirname, "../..");
const program = process.env.PERENNIAL_BINARY ?? join(root, "target/debug/perennial");
export const axeSource = readFileSync(join(import.meta.dirname, "node_modules/axe-core/axe.min.js"), "utf8");

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** On PostgreSQL every server has a separate database, if PERENNIAL_TEST_POSTGRES is the URL of one. */
function database() {
  const url = process.env.PERENNIAL_TEST_POSTGRES;
  if (url === undefined || url === "") {
    return undefined;
  }
  const name = `console_${randomBytes(6).toString("hex")}`;
  execFileSync("psql", [url, "-qc", `CREATE DATABASE ${name}`]);
  return url.replace(/\/[^/?]*(\?|$)/, `/${name}$1`);
}

export class Server {
  static start(...flags) {
    return Server.startWith({}, ...flags);
  }

  /** Starts a server with further environment variables. */
  static async startWith(variables, ...flags) {
    const server = new Server();
    server.variables = variables;
    server.directory = mkdtempSync(join(tmpdir(), "perennial-console-"));
    server.port = await freePort();
    server.base = `http://127.0.0.1:${server.port}`;
    server.database = database();
    server.key = randomBytes(32).toString("base64");
    await server.run(...flags);
    return server;
  }

  get environment() {
    const { PATH, HOME } = process.env;
    const store = this.database === undefined ? {} : { PERENNIAL_DATABASE_URL: this.database, PERENNIAL_MASTER_KEY: this.key };
    return { PATH, HOME, PERENNIAL_DATA_DIR: this.directory, PERENNIAL_BOOTSTRAP_CLIENT_ID: "pk_browserTests00000000000000000000000", ...store, ...this.variables };
  }

  async run(...flags) {
    const directory = process.env.PERENNIAL_CONSOLE_DIR === undefined ? [] : ["--console-dir", process.env.PERENNIAL_CONSOLE_DIR];
    const listen = ["--listen", `127.0.0.1:${this.port}`, "--metrics-listen", "127.0.0.1:0", ...directory];
    this.process = spawn(program, ["serve", ...listen, ...flags], { env: this.environment, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    this.process.stdout.on("data", (text) => (output += text));
    this.process.stderr.on("data", (text) => (output += text));
    for (let attempt = 0; attempt < 600; attempt += 1) {
      assert.equal(this.process.exitCode, null, output);
      const ready = await fetch(`${this.base}/readyz`).catch(() => undefined);
      if (ready?.ok === true) {
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.fail(`the server did not start: ${output}`);
  }

  command(...words) {
    return execFileSync(program, words, { env: this.environment }).toString().trim();
  }

  link(operator = "admin", role = "admin") {
    return this.command("console", "open", "--operator", operator, "--role", role, "--url", this.base, "--org", this.organization ?? "default");
  }

  /** The same server, as a new test organization with a trusted client sees it. */
  testOrganization(name) {
    this.command("org", "create", "--name", name, "--test");
    const scopes = "plans:read,plans:write,subscriptions:read,subscriptions:write,users:read,users:write,organization:read,organization:write,events:read";
    const { data } = JSON.parse(this.command("client", "create", "--org", name, "--name", "script", "--kind", "trusted", "--scope", scopes, "--json"));
    return Object.assign(Object.create(this), { organization: name, clientId: data.client_id });
  }

  /** A call of the trusted client. */
  async api(method, path, body) {
    const headers = { "client-id": this.clientId ?? this.environment.PERENNIAL_BOOTSTRAP_CLIENT_ID, ...(body === undefined ? {} : { "content-type": "application/json" }) };
    const response = await fetch(this.base + path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
    const json = await response.json();
    assert.ok(response.ok, `${method} ${path}: ${JSON.stringify(json)}`);
    return json.data;
  }

  plan(fields = {}) {
    return this.api("POST", "/subscription-plans", { name: "Pro", slug: "pro", price: 29, billing_cycle: "monthly", ...fields });
  }

  user(email, fields = {}) {
    return this.api("POST", "/users", { email, ...fields });
  }

  async subscription(email, slug = "pro", fields = {}) {
    const user = await this.user(email);
    return await this.api("POST", "/subscriptions", { user_id: user.id, subscription_plan_id: slug, ...fields });
  }

  async pause() {
    this.process.kill("SIGTERM");
    await new Promise((resolve) => this.process.once("exit", resolve));
  }

  async stop() {
    await this.pause();
    if (this.database !== undefined) {
      execFileSync("psql", [process.env.PERENNIAL_TEST_POSTGRES, "-qc", `DROP DATABASE ${new URL(this.database).pathname.slice(1)}`]);
    }
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** An identity provider with one person, who agrees to everything. */
export async function startProvider() {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const encode = (value) => Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
  const sign = (claims) => {
    const now = Math.floor(Date.now() / 1000);
    const text = `${encode({ alg: "EdDSA", typ: "JWT", kid: "k1" })}.${encode({ iss: provider.issuer, iat: now, exp: now + 300, email_verified: true, ...claims })}`;
    return `${text}.${signBytes(null, Buffer.from(text), privateKey).toString("base64url")}`;
  };
  const nonces = new Map();
  const http = createHttpServer((request, response) => {
    const url = new URL(request.url, provider.issuer);
    const json = (value) => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
    if (url.pathname === "/.well-known/openid-configuration") {
      json({ issuer: provider.issuer, jwks_uri: `${provider.issuer}/jwks`, authorization_endpoint: `${provider.issuer}/authorize`, token_endpoint: `${provider.issuer}/token` });
    } else if (url.pathname === "/jwks") {
      json({ keys: [{ ...publicKey.export({ format: "jwk" }), kid: "k1", alg: "EdDSA", use: "sig" }] });
    } else if (url.pathname === "/authorize") {
      const code = randomBytes(16).toString("hex");
      nonces.set(code, url.searchParams.get("nonce"));
      const back = new URL(url.searchParams.get("redirect_uri"));
      back.searchParams.set("code", code);
      back.searchParams.set("state", provider.state ?? url.searchParams.get("state"));
      response.writeHead(302, { location: back.href }).end();
    } else {
      let body = "";
      request.on("data", (text) => (body += text));
      request.on("end", () => {
        const nonce = nonces.get(new URLSearchParams(body).get("code"));
        json({ token_type: "Bearer", id_token: sign({ aud: "portal", sub: provider.subject, email: provider.email, nonce }) });
      });
    }
  });
  const provider = { issuer: "", subject: "subject-1", email: "ada@example.com", state: undefined, token: sign, close: () => (http.closeAllConnections(), http.close()) };
  await new Promise((resolve) => http.listen(0, "127.0.0.1", resolve));
  provider.issuer = `http://127.0.0.1:${http.address().port}`;
  return provider;
}

/** A browser. Start the server before it: if that fails, nothing keeps the process of the tests running. */
export const launch = () => chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });

/** Runs a test in a separate browser context, signed in unless `role` is null. */
export async function withPage({ browser, server, role = "admin", operator = role, options = {}, allow = [], origins = [] }, run) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const problems = [];
  const page = await context.newPage();
  watch(page, server, problems, allow, origins);
  try {
    if (role !== null) {
      await page.goto(server.link(operator, role));
      await ready(page);
    }
    await run(page, context, (other) => watch(other, server, problems, allow, origins));
    assert.deepEqual(problems, []);
  } finally {
    await context.close();
  }
}

/** Chromium logs every response that is an error; only those that a test expects are allowed. */
function watch(page, server, problems, allow, origins) {
  page.on("console", (message) => {
    const text = message.text();
    const isExpected = allow.some((status) => text.includes(`status of ${status}`) || text.includes(String(status)));
    if (["error", "warning"].includes(message.type()) && !isExpected) {
      problems.push(`${message.type()}: ${text}`);
    }
  });
  page.on("pageerror", (error) => problems.push(`uncaught: ${error.message}`));
  page.on("request", (request) => {
    const url = request.url();
    const isOurs = [server.base, ...origins].some((origin) => url.startsWith(origin));
    if (!isOurs && !url.startsWith("data:") && !url.startsWith("blob:")) {
      problems.push(`another origin: ${url}`);
    }
  });
  void page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => console.error(`CSP violation: ${event.violatedDirective} ${event.blockedURI}`));
  });
}

/** Until the page has its data. */
export async function ready(page) {
  await page.locator("h1").first().waitFor();
  await page.locator("main:not([aria-busy=true]) h1").first().waitFor();
  await page.waitForTimeout(60);
  await page.locator("main:not([aria-busy=true]) h1").first().waitFor();
}

export async function open(page, server, path) {
  await page.goto(`${server.base}/console/${path}`);
  await ready(page);
}

const everything = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
/** The rules whose result depends on colors. A theme changes nothing else. */
const colors = { type: "rule", values: ["color-contrast", "link-in-text-block"] };

/** What axe finds on the page as it is. */
export async function axe(page, rules = everything) {
  const session = await page.context().newCDPSession(page);
  const evaluate = async (expression) => {
    const { result, exceptionDetails } = await session.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    assert.equal(exceptionDetails, undefined, JSON.stringify(exceptionDetails));
    return result.value;
  };
  if (!(await evaluate("window.axe !== undefined"))) {
    // As a script of the page it would violate the policy; the debugger may evaluate it.
    await evaluate(`${axeSource};undefined`);
  }
  const found = await evaluate(`(async () => {
    const found = await axe.run(document, { runOnly: ${JSON.stringify(rules)} });
    return JSON.stringify(found.violations.map(({ id, nodes }) => [id, ...nodes.slice(0, 3).map((node) => node.html + " " + node.failureSummary)]));
  })()`);
  await session.detach();
  return JSON.parse(found);
}

/** Only tables may scroll sideways. */
export async function fits(page, where = "the page") {
  const excess = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(excess <= 0, `${where} scrolls sideways by ${excess} px`);
}

/** Adds up how far the pages that are opened from now on move while they load. Returns what reads the sum. */
export async function watchShift(page) {
  await page.addInitScript(() => {
    window.shift = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) window.shift += entry.hadRecentInput ? 0 : entry.value;
    }).observe({ type: "layout-shift", buffered: true });
  });
  return () => page.evaluate(() => window.shift);
}

/** Nothing is wrong in light, in dark, and as narrow as a phone. */
export async function looksRight(page, where) {
  await expectNoViolations(page, where);
  await expectNoViolationsInDark(page, where);
  await page.setViewportSize({ width: 320, height: 800 });
  await expectNoViolations(page, `${where}, 320 px`);
  await fits(page);
  await page.setViewportSize({ width: 1280, height: 900 });
}

/** The result of an action, as it is announced. */
export const announced = (page, text) => page.getByRole("status").filter({ hasText: text }).waitFor();

/** The colors of the page in dark mode. */
export async function expectNoViolationsInDark(page, where) {
  await page.emulateMedia({ colorScheme: "dark" });
  await expectNoViolations(page, `${where}, dark`, colors);
  await page.emulateMedia({ colorScheme: "light" });
}

export async function expectNoViolations(page, where, rules = everything) {
  const found = await axe(page, rules);
  assert.deepEqual(found, [], `${where}: ${JSON.stringify(found, null, 1)}`);
}
