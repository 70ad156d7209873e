// Records, their revisions, their lists, and what is said when one is refused.

import assert from "node:assert/strict";
import { test } from "node:test";
import { answerOf, Perennial, PerennialProblem, problemCatalogue, UnexpectedAnswer, type ProblemCode } from "../src/index.js";
import { problem, withService } from "./fake.js";

const plan = { id: "plan_1", slug: "pro", price: 19.99 };
const read = { headers: { etag: '"r1"', "x-request-id": "req_9" }, body: { data: plan } };

test("a list is walked to its end, past pages that are short or empty", () => {
  const pages = [
    { data: [{ slug: "a" }, { slug: "b" }], page: { next_cursor: "c1", has_more: true, limit: 2 } },
    { data: [], page: { next_cursor: "c+2", has_more: true, limit: 2 } },
    { data: [{ slug: "c" }], page: { next_cursor: null, has_more: false, limit: 2 } },
  ];
  return withService(
    (_, before) => ({ body: pages[before] }),
    async (service) => {
      const slugs: string[] = [];
      for await (const plan of service.client().plans.each({ is_active: true, limit: 2 })) {
        slugs.push(plan.slug);
      }
      assert.deepEqual(slugs, ["a", "b", "c"]);
      const asked = service.seen.map((seen) => seen.path.split("?")[1]);
      assert.deepEqual(asked, ["is_active=true&limit=2", "is_active=true&limit=2&cursor=c1", "is_active=true&limit=2&cursor=c%2B2"]);
    },
  );
});

test("no more pages are asked for than are looked at", () =>
  withService(
    () => ({ body: { data: [{ slug: "a" }], page: { next_cursor: "more", has_more: true, limit: 1 } } }),
    async (service) => {
      for await (const _ of service.client().plans.each()) {
        break;
      }
      assert.equal(service.seen.length, 1);
    },
  ));

test("a change can be tied to the record as it was read", () =>
  withService(
    ({ method }) => (method === "PUT" ? problem(412, "stale") : read),
    async (service) => {
      const { plans } = service.client();
      const known = await plans.get("pro");
      assert.deepEqual(answerOf(known), { status: 200, etag: '"r1"', requestId: "req_9", replayed: false, location: undefined });
      await assert.rejects(plans.update("pro", { tier: 2 }, { ifMatch: known }), { code: "stale", status: 412 });
      await plans.delete("pro", { ifMatch: '"r2"' });
      assert.deepEqual(service.seen.map((seen) => seen.headers["if-match"]), [undefined, '"r1"', '"r2"']);
      await assert.rejects(plans.delete("pro", { ifMatch: { ...known } }), TypeError);
      assert.equal(service.seen.length, 3, "a copy's revision is not guessed");
    },
  ));

test("a record that has not changed is answered as it is known", () =>
  withService(
    ({ headers }) => (headers["if-none-match"] === '"r1"' ? { status: 304 } : read),
    async (service) => {
      const { plans } = service.client();
      const known = await plans.get("pro");
      assert.equal(await plans.get("pro", { ifNoneMatch: known }), known);
    },
  ));

test("a refusal has its code, its faults and where they are", () =>
  withService(
    () =>
      problem(422, "invalid_input", {
        errors: [
          { pointer: "/price", code: "out_of_range", detail: "must be between 0 and 999999999999" },
          { pointer: "/slug", code: "invalid_format", detail: "as in a-slug" },
        ],
      }),
    async (service) => {
      const failure = await service.client().plans.create({ name: "", slug: "?", price: -1, billing_cycle: "monthly" }).catch((caught: unknown) => caught);
      assert.ok(failure instanceof PerennialProblem);
      const code: ProblemCode = failure.code;
      assert.deepEqual([code, failure.status, failure.requestId], ["invalid_input", 422, "req_1"]);
      assert.deepEqual(failure.at("/price").map((fault) => fault.code), ["out_of_range"]);
      assert.equal(failure.errors.length, 2);
    },
  ));

test("the catalogue tells what a code means", () => {
  const stale = problemCatalogue.find(({ code }) => code === "stale");
  assert.deepEqual(stale, { code: "stale", status: 412, title: "Record changed" });
});

test("what is in a path stays in its segment", () =>
  withService(
    () => ({ body: { data: {} } }),
    async (service) => {
      const client = service.client();
      await client.account.delete("auth0|a/b?c");
      assert.equal(service.seen[0]?.path, "/authentication/delete-my-account/auth0%7Ca%2Fb%3Fc");
      for (const name of ["", ".", ".."]) {
        await assert.rejects(client.plans.delete(name), TypeError);
      }
      assert.equal(service.seen.length, 1);
    },
  ));

test("a redirect is not followed, and other pages are not taken for answers", () =>
  withService(
    ({ path }) => (path.endsWith("/moved") ? { status: 307, headers: { location: "/elsewhere" } } : { body: "<html></html>" }),
    async (service) => {
      const { plans } = service.client();
      await assert.rejects(plans.get("moved"), (failure) => failure instanceof UnexpectedAnswer && failure.status === 307);
      await assert.rejects(plans.get("page"), UnexpectedAnswer);
      assert.equal(service.seen.length, 2);
    },
  ));

test("a client without an address says so when it is made", () => {
  for (const baseUrl of ["billing.example.com", "ftp://example.com", "https://", "https://example.com/?q"]) {
    assert.throws(() => new Perennial({ baseUrl, clientId: "default" }), /billing\.example\.com/);
  }
});

test("the client's id is sent, and is in nothing that is printed", () =>
  withService(
    () => ({ body: { data: [], page: { next_cursor: null, has_more: false, limit: 1 } } }),
    async (service) => {
      const { inspect } = await import("node:util");
      const client = service.client({ clientId: "pk_secret" });
      await client.plans.list();
      assert.equal(service.seen[0]?.headers["client-id"], "pk_secret");
      assert.ok(!inspect(client, { depth: 9, showHidden: true }).includes("pk_secret"));
    },
  ));

test("an operator's call has the cookie of the page and no client's ID", () =>
  withService(
    () => ({ body: { data: plan } }),
    async (service) => {
      const credentials: unknown[] = [];
      const spy: typeof fetch = (url, init) => {
        credentials.push(init?.credentials);
        return fetch(url, init);
      };
      await service.client({ credentials: "operator", surroundings: { fetch: spy } }).plans.get("pro");
      await service.client({ surroundings: { fetch: spy } }).plans.get("pro");
      assert.deepEqual(credentials, ["same-origin", "omit"]);
      const [first, second] = service.seen.map(({ headers }) => [headers["x-perennial-console"], headers["client-id"] !== undefined]);
      assert.deepEqual([first, second], [["1", false], [undefined, true]]);
    },
  ));
