// Entitlements in memory: what is asked for, what an event drops, and what is left when the feed or the service is away.

import assert from "node:assert/strict";
import { test } from "node:test";
import { EntitlementCache, PerennialProblem, type EntitlementCacheOptions } from "../src/index.js";
import { CUT, problem, withService, type FakeService, type Reply, type Seen } from "./fake.js";

const ADA = "usr_ada";
const BOB = "usr_bob";

type Fields = Record<string, unknown>;
type Scripted = (seen: Seen) => Reply | typeof CUT | undefined;

/** A service with a feed: events are pushed, and a call waits for them. */
class Place {
  readonly #waiting: ((page: Reply | typeof CUT) => void)[] = [];
  #queued: Fields[] = [];
  #cursor = 0;
  feed: "open" | "cut" | "gone" = "open";
  answers: Scripted = () => undefined;
  values: Fields = { sso: { kind: "boolean", value: true }, seats: { kind: "limit", value: 5 }, calls: { kind: "quota", value: 9, remaining: 4 } };
  validUntil: string | null = null;

  reply(seen: Seen): Promise<Reply> | Reply | typeof CUT {
    const url = new URL(seen.path, "http://x");
    const scripted = url.pathname === "/events" ? undefined : this.answers(seen);
    if (scripted !== undefined) {
      return scripted;
    }
    const [, , user, , feature] = url.pathname.split("/");
    if (url.pathname === "/events") {
      return this.#feed(url.searchParams);
    }
    if (url.pathname.endsWith("/members")) {
      return { body: { data: [{ user_id: BOB }], page: { next_cursor: null, has_more: false, limit: 200 } } };
    }
    return { body: { data: feature === undefined ? this.#all(user ?? "") : this.#one(feature, url.searchParams) } };
  }

  push(type: string, fields: Fields = {}): void {
    this.#queued.push({ id: `evt_${this.#cursor}`, type, record_id: "sub_1", data: {}, before: null, ...fields });
    this.#waiting.shift()?.(this.#page());
  }

  /** Ends the call that waits. */
  cut(feed: "cut" | "gone"): void {
    this.feed = feed;
    this.#waiting.shift()?.(CUT);
  }

  #feed(query: URLSearchParams): Promise<Reply> | Reply | typeof CUT {
    if (this.feed !== "open") {
      const isGone = this.feed === "gone" && query.has("cursor");
      this.feed = isGone ? "open" : this.feed;
      return isGone ? problem(410, "cursor_gone") : new Promise<Reply>((resolve) => setImmediate(() => resolve(problem(503, "overloaded"))));
    }
    if (!query.has("cursor") || this.#queued.length > 0) {
      return this.#page();
    }
    return new Promise<Reply>((resolve) => this.#waiting.push(resolve as (page: Reply | typeof CUT) => void));
  }

  #page(): Reply {
    const data = this.#queued;
    this.#queued = [];
    this.#cursor += 1;
    return { body: { data, page: { next_cursor: `c${this.#cursor}`, has_more: false, limit: 200 } } };
  }

  #all(user: string): Fields {
    const sources = [{ subscription_id: "sub_1", value: true, used: null }];
    const shown = Object.entries(this.values).map(([key, value]) => [key, { used: null, remaining: null, resets_at: null, sources, ...(value as Fields) }]);
    return { user_id: user, valid_until: this.validUntil, truncated: false, entitlements: Object.fromEntries(shown) };
  }

  #one(feature: string, query: URLSearchParams): Fields {
    const { kind = "boolean", value = null, remaining = null } = (this.values[feature] ?? {}) as Fields;
    const allowed = kind === "quota" && Number(remaining) >= Number(query.get("need"));
    return { kind, value, remaining, allowed, reason: allowed ? null : value === null ? "not_granted" : "limit_reached" };
  }
}

async function until(what: () => boolean | Promise<boolean>): Promise<void> {
  for (let turn = 0; !(await what()); turn += 1) {
    assert.ok(turn < 2_000, `it never came true: ${String(what)}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** How often the service was asked for entitlements. */
function asked(service: FakeService): number {
  return service.seen.filter(({ path }) => path.includes("/entitlements")).length;
}

/** Whether an answer comes from memory. */
async function stable(cache: EntitlementCache, service: FakeService): Promise<boolean> {
  const before = asked(service);
  await cache.check(ADA, "sso");
  return asked(service) === before;
}

async function withCache(
  options: EntitlementCacheOptions,
  run: (cache: EntitlementCache, service: FakeService, place: Place) => Promise<void>,
): Promise<void> {
  const place = new Place();
  await withService(
    (seen) => place.reply(seen) as Reply,
    async (service) => {
      const client = service.client({ retry: { attempts: 1 } });
      const cache = new EntitlementCache(client, options);
      try {
        // The second call that waits follows the first page.
        await until(() => service.to("GET", "/events").length === 2);
        await run(cache, service, place);
      } finally {
        cache.close();
      }
    },
  );
}

test("answers come from memory, with the rule of the API", () =>
  withCache({}, async (cache, service) => {
    assert.equal((await cache.get(ADA)).entitlements["seats"]?.value, 5);
    assert.equal((await cache.get(ADA)).user_id, ADA);
    assert.deepEqual(await cache.check(ADA, "sso"), { allowed: true, value: true, remaining: null, reason: null });
    assert.equal((await cache.check(ADA, "seats", 5)).allowed, true);
    assert.deepEqual(await cache.check(ADA, "seats", 6), { allowed: false, value: 5, remaining: null, reason: "limit_reached" });
    assert.equal(asked(service), 1);
    for (const feature of ["seats", "absent"]) {
      for (const need of [0, 2 ** 53, 1.5]) {
        await assert.rejects(cache.check(ADA, feature, need), TypeError);
      }
    }
  }));

test("the feed is heard from before an answer is stale", async () => {
  for (const [staleSeconds, wait] of [[undefined, "25"], [10, "5"], [1, "1"]] as const) {
    await withCache({ staleSeconds }, async (_, service) => {
      const { path = "" } = service.to("GET", "/events")[1] ?? {};
      assert.equal(new URL(path, "http://x").searchParams.get("wait"), wait);
    });
  }
});

test("calls at once share a request", () =>
  withCache({}, async (cache, service) => {
    await Promise.all([1, 2, 3].flatMap(() => [cache.get(ADA), cache.check(ADA, "sso")]));
    assert.equal(asked(service), 1);
  }));

test("a quota is always asked for, and a feature that is absent once", () =>
  withCache({}, async (cache, service, place) => {
    await cache.get(ADA);
    assert.deepEqual(await cache.check(ADA, "calls", 4), { allowed: true, value: 9, remaining: 4, reason: null });
    place.values["calls"] = { kind: "quota", value: 9, remaining: 3 };
    assert.equal((await cache.check(ADA, "calls", 4)).reason, "limit_reached");
    assert.equal(asked(service), 3);
    assert.equal((await cache.check(ADA, "toString")).reason, "not_granted");
    assert.equal((await cache.check(ADA, "toString", 7)).allowed, false);
    assert.equal(asked(service), 4);
  }));

test("an event drops whom it names, and no one else", () =>
  withCache({}, async (cache, service, place) => {
    const both = async (): Promise<number> => {
      const before = asked(service);
      await cache.get(ADA);
      await cache.get(BOB);
      return asked(service) - before;
    };
    const applied = async (push: () => void): Promise<void> => {
      const calls = service.to("GET", "/events").length;
      push();
      await until(() => service.to("GET", "/events").length > calls);
    };
    await both();
    assert.equal(await both(), 0);
    await applied(() => place.push("member.created", { data: { user_id: BOB } }));
    assert.equal(await both(), 1, "the member");
    await applied(() => place.push("subscription.created", { record_id: "sub_2", data: { user_id: ADA } }));
    assert.equal(await both(), 1, "the owner");
    const renewed = { record_id: "sub_2", data: { user_id: ADA, renews_at: "b" }, before: { user_id: ADA, renews_at: "a" } };
    await applied(() => place.push("subscription.updated", renewed));
    assert.equal(await both(), 1, "a renewal does not reach members");
    assert.equal(service.to("GET", "/subscriptions/sub_2/members").length, 0);
    const resumed = { record_id: "sub_2", data: { user_id: "usr_eve", status: "active" }, before: { user_id: "usr_eve", status: "paused" } };
    await applied(() => place.push("subscription.updated", resumed));
    assert.equal(await both(), 1, "a member whose answer does not name the subscription");
    assert.equal(service.to("GET", "/subscriptions/sub_2/members").length, 1);
    await applied(() => place.push("subscription.deleted", { data: { user_id: "usr_eve" } }));
    assert.equal(await both(), 2, "both answers name sub_1");
    await applied(() => place.push("plan.updated"));
    assert.equal(await both(), 2);
    await applied(() => place.push("feature.updated"));
    assert.equal(await both(), 2);
    place.answers = ({ path }) => (path.includes("/members") ? problem(403, "insufficient_scope") : undefined);
    await applied(() => place.push("subscription.updated", resumed));
    assert.equal(await both(), 2, "without the scope everyone is dropped");
  }));

test("an answer that an event overtook is not kept", () =>
  withCache({}, async (cache, service, place) => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const reply = place.reply.bind(place);
    place.reply = (seen) => {
      const answer = reply(seen);
      return seen.path.includes("/entitlements") && asked(service) === 1 ? held.then(() => answer as Reply) : answer;
    };
    const early = cache.get(ADA);
    await until(() => asked(service) === 1);
    place.values = {};
    const calls = service.to("GET", "/events").length;
    place.push("subscription.deleted", { data: { user_id: ADA } });
    await until(() => service.to("GET", "/events").length > calls);
    assert.deepEqual((await cache.get(ADA)).entitlements, {}, "it did not join the earlier request");
    release();
    assert.equal(Object.keys((await early).entitlements).length, 3);
    assert.deepEqual((await cache.get(ADA)).entitlements, {});
    assert.equal(asked(service), 2);
  }));

test("valid_until is respected to the millisecond", () =>
  withCache({}, async (cache, service, place) => {
    place.validUntil = new Date(service.now + 1000).toISOString();
    await cache.get(ADA);
    service.now += 999;
    await cache.get(ADA);
    assert.equal(asked(service), 1);
    service.now += 1;
    await cache.get(ADA);
    assert.equal(asked(service), 2);
  }));

for (const onUnavailable of ["deny", "allow"] as const) {
  test(`the feed is cut: old answers for 300 s, then it asks; the service is away too: ${onUnavailable}`, () =>
    withCache({ onUnavailable }, async (cache, service, place) => {
      await cache.get(ADA);
      place.cut("cut");
      place.values = { sso: { kind: "boolean", value: false } };
      service.now += 300_000;
      assert.equal((await cache.check(ADA, "sso")).allowed, true, "an old answer");
      assert.equal(asked(service), 1);
      service.now += 1;
      assert.equal((await cache.check(ADA, "sso")).allowed, false, "asked");
      assert.equal((await cache.check(ADA, "sso")).allowed, false);
      assert.equal(asked(service), 3, "each time");
      place.answers = () => CUT;
      const allowed = onUnavailable === "allow";
      assert.deepEqual(await cache.check(ADA, "sso"), { allowed, value: null, remaining: null, reason: "unavailable" });
      assert.equal((await cache.check(BOB, "sso")).allowed, allowed);
      if (allowed) {
        assert.equal((await cache.get(ADA)).entitlements["sso"]?.value, false, "the last answer");
      } else {
        await assert.rejects(cache.get(ADA));
      }
      await assert.rejects(cache.get(BOB));
      place.answers = () => undefined;
      place.feed = "open";
      place.push("usage.threshold_reached", { record_id: "sub_2" });
      // The feed continues where it was cut, so what is in memory is good again.
      await until(() => stable(cache, service));
    }));
}

test("after a gap in the feed nothing in memory is used", () =>
  withCache({}, async (cache, service, place) => {
    await cache.get(ADA);
    place.values = {};
    place.cut("gone");
    await until(async () => Object.keys((await cache.get(ADA)).entitlements).length === 0);
    await until(() => stable(cache, service));
  }));

test("a refusal is thrown, and nothing is kept before the feed is open or after `close`", () =>
  withCache({}, async (cache, service, place) => {
    place.answers = () => problem(404, "not_found");
    await assert.rejects(cache.check("usr_unknown", "sso"), PerennialProblem);
    place.answers = () => undefined;
    cache.close();
    await cache.get(ADA);
    await cache.get(ADA);
    assert.equal(asked(service), 3);
    const failures: unknown[] = [];
    place.feed = "cut";
    const other = new EntitlementCache(service.client({ retry: { attempts: 1 } }), { onFeedError: (failure) => failures.push(failure) });
    await until(() => failures.length > 0);
    await other.get(BOB);
    await other.get(BOB);
    assert.equal(asked(service), 5);
    other.close();
  }));

test("the number of users is bounded", () =>
  withCache({ maxUsers: 2 }, async (cache, service) => {
    for (const user of ["a", "b", "c", "c", "b", "a"]) {
      await cache.get(user);
    }
    assert.equal(asked(service), 4, "`a` was dropped for `c`");
  }));
