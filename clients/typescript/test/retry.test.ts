// What is tried again, how often, and after how long.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ConnectionFailed, TimedOut, UnexpectedAnswer } from "../src/index.js";
import { CUT, problem, SILENCE, withService } from "./fake.js";

const PLANS = "/subscription-plans";
const PRO = { name: "Pro", slug: "pro", price: 19.99, billing_cycle: "monthly" } as const;
const IDENTITY = { access_token: "identity", email: "ada@example.com" };
const created = { status: 201, body: { data: { slug: "pro" } } };

test("a create is repeated under one key, byte for byte", () =>
  withService(
    (_, before) => (before < 2 ? CUT : created),
    async (service) => {
      await service.client().plans.create(PRO);
      assert.equal(service.seen.length, 3);
      assert.equal(new Set(service.seen.map((seen) => seen.headers["idempotency-key"])).size, 1);
      assert.equal(new Set(service.seen.map((seen) => seen.body)).size, 1);
    },
  ));

test("two creates have two keys, and a key may be given", () =>
  withService(
    () => created,
    async (service) => {
      const client = service.client({ surroundings: { random: Math.random } });
      await client.plans.create(PRO);
      await client.plans.create(PRO);
      await client.plans.create(PRO, { idempotencyKey: "mine" });
      const [first, second, third] = service.seen.map((seen) => seen.headers["idempotency-key"]);
      assert.match(String(first), /^[0-9a-f]{32}$/);
      assert.notEqual(first, second);
      assert.equal(third, "mine");
    },
  ));

test("what might be done twice is not repeated when its answer is lost", () =>
  withService(
    () => CUT,
    async (service) => {
      await assert.rejects(service.client().auth.signUp(IDENTITY), (failure) => failure instanceof ConnectionFailed && failure.attempts === 1);
      assert.equal(service.seen.length, 1);
      assert.equal(service.seen[0]?.headers["idempotency-key"], undefined);
    },
  ));

test("a refusal that did nothing is repeated when the service asks for it", () =>
  withService(
    (_, before) => {
      const busy = problem(429, "rate_limited");
      return before === 0 ? { ...busy, headers: { ...busy.headers, "retry-after": "7" } } : { body: { data: {} } };
    },
    async (service) => {
      await service.client().auth.signIn(IDENTITY);
      assert.deepEqual(service.waits, [7_125]);
    },
  ));

test("who is asked to wait too long is told at once", () =>
  withService(
    () => {
      const busy = problem(503, "overloaded");
      return { ...busy, headers: { ...busy.headers, "retry-after": "31" } };
    },
    async (service) => {
      await assert.rejects(service.client().plans.list(), { code: "overloaded", retryAfterMs: 31_000 });
      assert.deepEqual(service.waits, []);
    },
  ));

test("waits double, are spread, and end", () =>
  withService(
    () => problem(503, "storage_unavailable"),
    async (service) => {
      await assert.rejects(service.client().plans.list(), { attempts: 4 });
      assert.deepEqual(service.waits, [187.5, 375, 750]);
      const once = service.client({ retry: { attempts: 1 } });
      await assert.rejects(once.plans.list(), { attempts: 1 });
      assert.equal(service.seen.length, 5);
    },
  ));

test("an outcome that is not known is repeated under a key and not without one", () =>
  withService(
    () => problem(503, "outcome_unknown"),
    async (service) => {
      const client = service.client();
      await assert.rejects(client.auth.signUp(IDENTITY), { attempts: 1 });
      await assert.rejects(client.plans.create(PRO), { attempts: 4 });
      await assert.rejects(client.plans.update("pro", { tier: 1 }), { attempts: 4 });
    },
  ));

test("a refusal that would be the same again is not repeated", () =>
  withService(
    ({ method }) => (method === "POST" ? problem(409, "slug_taken") : problem(500, "internal")),
    async (service) => {
      await assert.rejects(service.client().plans.create(PRO), { code: "slug_taken" });
      await assert.rejects(service.client().plans.list(), { code: "internal" });
      assert.equal(service.seen.length, 2);
    },
  ));

test("a proxy's complaint is repeated where that does no harm, and shown", () =>
  withService(
    () => ({ status: 502, headers: { "content-type": "text/html" }, body: "<h1>Bad gateway</h1>" }),
    async (service) => {
      const isIt = (attempts: number) => (failure: unknown) =>
        failure instanceof UnexpectedAnswer && failure.attempts === attempts && failure.message.includes("Bad gateway");
      await assert.rejects(service.client().plans.get("pro"), isIt(4));
      await assert.rejects(service.client().auth.signIn(IDENTITY), isIt(1));
      assert.equal(service.to("GET", `${PLANS}/pro`).length, 4);
    },
  ));

test("an answer that does not come is not waited for", () =>
  withService(
    () => SILENCE,
    async (service) => {
      const client = service.client({ timeoutMs: 20, retry: { attempts: 2 } });
      await assert.rejects(client.plans.list(), (failure) => failure instanceof TimedOut && failure.attempts === 2);
      await assert.rejects(client.plans.list({}, { signal: AbortSignal.timeout(5), timeoutMs: 60_000 }), { name: "TimeoutError" });
    },
  ));

test("a signal ends the waiting between attempts, and a call that has not begun", () =>
  withService(
    () => problem(503, "overloaded"),
    async (service) => {
      // The real sleep, which would take minutes.
      const { sleep } = await import("../src/send.js");
      const client = service.client({ retry: { firstWaitMs: 200_000, longestWaitMs: 200_000 }, surroundings: { sleep } });
      const stop = new AbortController();
      const call = client.plans.list({}, { signal: stop.signal });
      setTimeout(() => stop.abort(new Error("enough")), 50);
      await assert.rejects(call, { message: "enough" });
      await assert.rejects(client.plans.list({}, { signal: stop.signal }), { message: "enough" });
      assert.equal(service.seen.length, 1);
    },
  ));
