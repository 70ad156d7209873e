// The feed: followed without a gap, from a cursor, through outages.

import assert from "node:assert/strict";
import { test } from "node:test";
import { CursorGone, PerennialProblem } from "../src/index.js";
import { CUT, problem, withService, type Reply, type Seen } from "./fake.js";

function page(ids: string[], cursor: string, hasMore = false): Reply {
  return { body: { data: ids.map((id) => ({ id })), page: { next_cursor: cursor, has_more: hasMore, limit: 200 } } };
}

function query({ path }: Seen): string {
  return new URLSearchParams(path.split("?")[1]).toString();
}

test("the feed is followed from page to page, and each cursor is given once its events were handled", () => {
  const pages = [page([], "c0"), page(["a", "b"], "c1", true), page([], "c2", true), page(["c"], "c3"), page([], "c4")];
  return withService(
    (_, before) => pages[before] ?? page(["d"], "c5"),
    async (service) => {
      const log: string[] = [];
      const options = { types: ["subscription.*", "payment.created"], start: "newest", onCursor: (cursor: string) => void log.push(cursor) } as const;
      for await (const event of service.client().events(options)) {
        log.push(event.id);
        if (event.id === "d") {
          break;
        }
      }
      assert.deepEqual(log, ["c0", "a", "b", "c1", "c2", "c", "c3", "c4", "d"], "the page of `d` was not finished");
      const common = "type=subscription.*%2Cpayment.created&limit=200";
      const places = ["start=newest", ...["c0", "c1", "c2", "c3", "c4"].map((cursor) => `cursor=${cursor}&wait=25`)];
      assert.deepEqual(service.seen.map(query), places.map((place) => `${common}&${place}`));
      assert.deepEqual(service.waits, [1_000], "a call that should have waited and did not is not repeated at once");
    },
  );
});

test("it resumes from a stored cursor", () =>
  withService(
    () => page(["a"], "c2"),
    async (service) => {
      for await (const event of service.client().events({ cursor: "c1" })) {
        assert.equal(event.id, "a");
        break;
      }
      assert.equal(query(service.seen[0]!), "limit=200&cursor=c1&wait=25");
    },
  ));

test("an outage ends it only before the first page", () => {
  const outage = [CUT, problem(503, "overloaded"), problem(429, "rate_limited"), CUT, CUT, CUT] as const;
  return withService(
    (_, before) => (before === 0 ? page(["a"], "c1") : (outage[before - 1] ?? page(["b"], "c2"))),
    async (service) => {
      const ids: string[] = [];
      for await (const event of service.client().events()) {
        ids.push(event.id);
        if (ids.length === 2) {
          break;
        }
      }
      assert.deepEqual(ids, ["a", "b"]);
      assert.ok(service.seen.slice(1).every((seen) => query(seen).endsWith("cursor=c1&wait=25")), "no page is skipped");
      service.seen.length = 1;
      await assert.rejects(service.client().events().next(), { attempts: 4 });
    },
  );
});

test("a cursor that is gone is an error with what to know", () =>
  withService(
    () => problem(410, "cursor_gone", { oldest: "2026-11-01T00:00:00.000000Z", restored: true }),
    async (service) => {
      const failure = await service.client().events({ cursor: "old" }).next().catch((caught: unknown) => caught);
      assert.ok(failure instanceof CursorGone && failure instanceof PerennialProblem);
      assert.deepEqual([failure.status, failure.oldest, failure.restored], [410, "2026-11-01T00:00:00.000000Z", true]);
      assert.equal(service.seen.length, 1);
    },
  ));

test("a signal ends it", () =>
  withService(
    () => page(["a"], "c1"),
    async (service) => {
      const stop = new AbortController();
      const cursors: string[] = [];
      const reading = (async () => {
        for await (const _ of service.client().events({ signal: stop.signal, onCursor: (cursor) => void cursors.push(cursor) })) {
          stop.abort(new Error("enough"));
        }
      })();
      await assert.rejects(reading, /enough/);
      assert.deepEqual(cursors, ["c1"], "the page was handled");
    },
  ));

test("a short timeout of the client does not cut off a call that waits", () =>
  withService(
    async () => {
      await new Promise((resolve) => setTimeout(resolve, 60));
      return page(["a"], "c1");
    },
    async (service) => {
      const { value } = await service.client({ timeoutMs: 20, retry: { attempts: 1 } }).events().next();
      assert.equal((value as { id: string }).id, "a");
    },
  ));
