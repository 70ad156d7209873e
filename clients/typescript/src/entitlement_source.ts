// What `EntitlementCache` asks the service for.

import type { Caller, Operation } from "./caller.js";
import type { PageOf } from "./pages.js";
import type { CallOptions } from "./options.js";
import type { Instant } from "./generated/types.js";

export type EntitlementValue = boolean | number | "unlimited";

export interface UserEntitlements {
  user_id: string;
  /** When the clock alone changes the answer. */
  valid_until: Instant | null;
  truncated: boolean;
  entitlements: Record<string, Entitlement>;
}

export interface Entitlement {
  kind: "boolean" | "limit" | "quota";
  value: EntitlementValue;
  used: number | null;
  remaining: number | "unlimited" | null;
  resets_at: Instant | null;
  sources: { subscription_id: string; value: EntitlementValue; used: number | null }[];
}

export interface EntitlementCheck {
  kind: "boolean" | "limit" | "quota";
  allowed: boolean;
  value: EntitlementValue | null;
  remaining: number | "unlimited" | null;
  reason: "feature_inactive" | "no_subscription" | "not_granted" | "limit_reached" | null;
}

export class EntitlementSource {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  get(id: string): Promise<UserEntitlements> {
    return this.#caller.one(read("getEntitlements", "/users/{id}/entitlements"), { path: { id } }, {});
  }

  check(id: string, feature: string, need: number): Promise<EntitlementCheck> {
    const operation = read("checkEntitlement", "/users/{id}/entitlements/{feature_key}");
    return this.#caller.one(operation, { path: { id, feature_key: feature }, query: { need } }, {});
  }

  members(id: string, cursor: string | undefined, options: CallOptions): Promise<PageOf<{ user_id: string }>> {
    return this.#caller.page(read("listMembers", "/subscriptions/{id}/members"), { path: { id }, query: { cursor, limit: 200 } }, options);
  }
}

function read(id: string, path: string): Operation {
  return { id, method: "GET", path, access: "clientOrUser", keyed: false, repeatable: true };
}
