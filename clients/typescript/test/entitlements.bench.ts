// How long an answer from memory takes: `npm run bench`. It prints and asserts nothing.

import { EntitlementCache } from "../src/index.js";
import { withService, type Reply } from "./fake.js";

const ROUNDS = 1_000_000;

const sources = [{ subscription_id: "sub_1", value: true, used: null }];
const granted = (kind: string, value: unknown): object => ({ kind, value, used: null, remaining: null, resets_at: null, sources });
const entitlements = { sso: granted("boolean", true), seats: granted("limit", 5) };
const answer: Reply = { body: { data: { user_id: "usr_ada", valid_until: null, truncated: false, entitlements } } };
const page: Reply = { body: { data: [], page: { next_cursor: "c1", has_more: false, limit: 200 } } };

await withService(
  ({ path }) => (path.startsWith("/events") ? (path.includes("cursor") ? new Promise<Reply>(() => undefined) : page) : answer),
  async (service) => {
    const cache = new EntitlementCache(service.client({ surroundings: { now: () => Date.now() } }));
    while (service.to("GET", "/events").length < 2) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    const calls: Record<string, () => Promise<unknown>> = {
      get: () => cache.get("usr_ada"),
      "check of a boolean": () => cache.check("usr_ada", "sso"),
      "check of a limit": () => cache.check("usr_ada", "seats", 5),
    };
    for (const [name, call] of Object.entries(calls)) {
      let best = Infinity;
      for (let repeat = 0; repeat < 3; repeat += 1) {
        const since = process.hrtime.bigint();
        for (let round = 0; round < ROUNDS; round += 1) {
          await call();
        }
        best = Math.min(best, Number(process.hrtime.bigint() - since) / ROUNDS / 1000);
      }
      console.log(`${name.padEnd(20)} ${best.toFixed(3)} µs`);
    }
    console.log(`requests for entitlements: ${service.seen.filter(({ path }) => path.includes("/entitlements")).length}`);
    cache.close();
  },
);
