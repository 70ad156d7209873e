// Tokens are renewed when it is time, once, and never twice with the same one.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryTokens, PerennialProblem, type TokenStore } from "../src/index.js";
import { CUT, FakeService, problem, stored, tokens, withService, type Reply, type Seen } from "./fake.js";

const REFRESH = "/authentication/refresh-token";
const TOKENS = "/authentication/tokens";
const HOUR = 3_600_000;

/** A service that takes the token of one generation and hands out the next for each refresh token. */
function taking(generation: number): (seen: Seen) => Reply {
  return ({ path, headers, body }) => {
    if (path === REFRESH) {
      const presented = Number((JSON.parse(body) as { refresh_token: string }).refresh_token.split("-")[1]);
      return presented === generation - 1 ? tokens(generation) : problem(401, "refresh_token_reused");
    }
    return headers.authorization === `Bearer access-${generation}` ? { body: { data: {} } } : problem(401, "invalid_token");
  };
}

function refreshes(service: FakeService): number {
  return service.to("POST", REFRESH).length;
}

test("twenty calls with an expired token make one refresh", () =>
  withService(taking(2), async (service) => {
    const store = new MemoryTokens(stored(1, service.now - 1));
    const client = service.client({ tokens: store });
    await Promise.all(Array.from({ length: 20 }, () => client.sessions.list()));
    assert.equal(refreshes(service), 1);
    assert.equal(service.to("GET", TOKENS).length, 20);
    assert.deepEqual(store.get(), stored(2, service.now + HOUR));
  }));

test("twenty calls whose token is refused make one refresh and are sent again", () =>
  withService(taking(2), async (service) => {
    const client = service.client({ tokens: new MemoryTokens(stored(1, service.now + HOUR)) });
    await Promise.all(Array.from({ length: 20 }, () => client.sessions.list()));
    assert.equal(refreshes(service), 1);
    await client.sessions.list();
    assert.equal(refreshes(service), 1, "the successor is kept");
  }));

test("a refresh whose answer was lost is tried again with the same token", () =>
  withService(
    (seen, before) => (seen.path === REFRESH && before === 0 ? CUT : taking(2)(seen)),
    async (service) => {
      const client = service.client({ tokens: new MemoryTokens(stored(1, 0)) });
      await client.sessions.list();
      const presented = service.to("POST", REFRESH).map((seen) => seen.body);
      assert.deepEqual(presented, Array(2).fill(JSON.stringify({ refresh_token: "refresh-1" })));
    },
  ));

test("a refused refresh signs out, says so, and is what the caller gets", () =>
  withService(taking(9), async (service) => {
    const store = new MemoryTokens(stored(1, 0));
    const told: string[] = [];
    const client = service.client({ tokens: store, onSignedOut: ({ code }) => told.push(code) });
    const calls = await Promise.allSettled([client.sessions.list(), client.sessions.list()]);
    for (const call of calls) {
      assert.equal(call.status, "rejected");
      assert.ok(call.reason instanceof PerennialProblem && call.reason.code === "refresh_token_reused");
    }
    assert.deepEqual(told, ["refresh_token_reused"]);
    assert.equal(store.get(), undefined);
    await assert.rejects(client.sessions.list(), { code: "invalid_token" });
    assert.equal(service.seen.at(-1)?.headers.authorization, undefined);
  }));

test("a service that cannot refresh just now signs nobody out", () =>
  withService(
    (seen) => (seen.path === REFRESH ? problem(503, "overloaded") : { body: { data: {} } }),
    async (service) => {
      const soon = stored(1, service.now + 10_000);
      const store = new MemoryTokens(soon);
      const client = service.client({ tokens: store });
      await client.sessions.list();
      assert.equal(service.seen.at(-1)?.headers.authorization, "Bearer access-1", "it has not expired yet");
      service.now += 20_000;
      await assert.rejects(client.sessions.list(), { code: "overloaded", attempts: 4 });
      assert.deepEqual(store.get(), soon);
    },
  ));

test("what another tab renewed is used as it is", () =>
  withService(taking(2), async (service) => {
    const store = new MemoryTokens(stored(1, service.now + HOUR));
    const client = service.client({ tokens: store });
    store.set(stored(2, service.now + HOUR));
    await client.sessions.list();
    assert.equal(refreshes(service), 0);
  }));

test("who read the old tokens just before they were renewed does not present them again", () =>
  withService(taking(2), async (service) => {
    const inner = new MemoryTokens(stored(1, 0));
    let letGo = (): void => {};
    const gate = new Promise<void>((resolve) => (letGo = resolve));
    let reads = 0;
    const slow: TokenStore = {
      async get() {
        const held = inner.get();
        reads += 1;
        await (reads === 1 ? gate : undefined);
        return held;
      },
      set: (tokens) => inner.set(tokens),
    };
    const client = service.client({ tokens: slow });
    const late = client.sessions.list();
    await client.sessions.list();
    letGo();
    await late;
    assert.equal(refreshes(service), 1);
  }));

test("a token that is refused although it is new is not renewed again", () =>
  withService(
    (seen) => (seen.path === REFRESH ? tokens(2) : problem(401, "invalid_token")),
    async (service) => {
      const client = service.client({ tokens: new MemoryTokens(stored(1, service.now + HOUR)) });
      await assert.rejects(client.sessions.list(), { code: "invalid_token" });
      assert.deepEqual([refreshes(service), service.seen.length], [1, 3]);
    },
  ));

test("a refresh that another tab has overtaken does not sign out", () => {
  const store = new MemoryTokens(stored(1, 0));
  return withService(
    (seen) => {
      if (seen.path === REFRESH) {
        store.set(stored(3, Number.MAX_SAFE_INTEGER));
        return problem(401, "refresh_token_reused");
      }
      return taking(3)(seen);
    },
    async (service) => {
      await service.client({ tokens: store }).sessions.list();
      assert.equal(store.get()?.token, "access-3");
    },
  );
});

test("who signs out while tokens are renewed stays signed out", () => {
  let signOut = async (): Promise<void> => {};
  return withService(
    async (seen) => {
      if (seen.path === REFRESH) {
        await signOut();
      }
      return taking(2)(seen);
    },
    async (service) => {
      const tokens = new MemoryTokens(stored(1, 0));
      const client = service.client({ tokens });
      signOut = () => client.session.forget();
      await assert.rejects(client.sessions.list(), { code: "invalid_token" });
      assert.equal(tokens.get(), undefined);
    },
  );
});

test("who gives up waiting does not take the refresh from the others", () =>
  withService(
    async (seen) => {
      if (seen.path === REFRESH) {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      return taking(2)(seen);
    },
    async (service) => {
      const client = service.client({ tokens: new MemoryTokens(stored(1, 0)) });
      const impatient = client.sessions.list({ signal: AbortSignal.timeout(10) });
      const patient = client.sessions.list();
      await assert.rejects(impatient, { name: "TimeoutError" });
      await patient;
      assert.equal(refreshes(service), 1);
    },
  ));

test("a token given for one call is neither renewed, replaced nor kept", () =>
  withService(taking(2), async (service) => {
    const store = new MemoryTokens(stored(2, service.now + HOUR));
    const client = service.client({ tokens: store });
    await assert.rejects(client.sessions.list({ token: "access-7" }), { code: "invalid_token" });
    await client.sessions.logout({ token: "access-2" });
    assert.equal(refreshes(service), 0);
    assert.equal(store.get()?.token, "access-2");
  }));

test("signing in keeps the tokens and signing out forgets them", () =>
  withService(
    (seen) => (seen.path === "/authentication/sign-in" ? tokens(1) : taking(1)(seen)),
    async (service) => {
      const store = new MemoryTokens();
      const client = service.client({ tokens: store });
      await client.auth.signIn({ access_token: "identity", email: "ada@example.com" });
      assert.deepEqual(store.get(), stored(1, service.now + HOUR));
      await client.sessions.logout();
      assert.equal(service.seen.at(-1)?.headers.authorization, "Bearer access-1");
      assert.equal(store.get(), undefined);
    },
  ));

test("another person's client has a session of its own", () =>
  withService(taking(1), async (service) => {
    const ada = service.client({ tokens: new MemoryTokens(stored(1, service.now + HOUR)) });
    const nobody = ada.with({});
    await assert.rejects(nobody.sessions.list(), { code: "invalid_token" });
    await ada.sessions.list();
  }));
