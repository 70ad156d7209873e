// Features, and grants of them on plans and subscriptions.

import { caller, type PageOf } from "../../lib/api.js";
import { count } from "../../lib/money.js";

export type Grant = boolean | number | "unlimited";
export type Grants = Readonly<Record<string, Grant>>;

export interface Feature {
  id: string;
  key: string;
  name: string;
  description: string;
  is_active: boolean;
  kind: "boolean" | "limit" | "quota";
  combine: "any" | "max" | "sum";
  per_unit: boolean;
  meter: string | null;
  period: string | null;
  created_at: string;
}

/** What a user has of a feature. */
export interface Entitlement {
  kind: Feature["kind"];
  value: Grant;
  used: number | null;
  remaining: number | "unlimited" | null;
  resets_at: string | null;
  sources: { subscription_id: string; value: Grant; used: number | null }[];
}

export interface UserEntitlements {
  user_id: string;
  valid_until: string | null;
  truncated: boolean;
  entitlements: Record<string, Entitlement>;
}

const operation = (method: string, path: string) => ({ id: method + path, method, path, access: "client", keyed: method === "POST", repeatable: true }) as const;

export const features = {
  list: (query: object): Promise<PageOf<Feature>> => caller.page<Feature>(operation("GET", "/features"), { query }, {}),
  get: (key: string): Promise<Feature> => caller.one<Feature>(operation("GET", "/features/{key}"), { path: { key } }, {}),
  create: (body: object, options: { idempotencyKey: string }): Promise<Feature> => caller.one<Feature>(operation("POST", "/features"), { body }, options),
  update: (key: string, body: object, options: { ifMatch?: Feature | undefined }): Promise<Feature> => caller.one<Feature>(operation("PUT", "/features/{key}"), { path: { key }, body }, options),
};

export const userEntitlements = (id: string): Promise<UserEntitlements> => caller.one<UserEntitlements>(operation("GET", "/users/{id}/entitlements"), { path: { id } }, {});

/** All of them: an organization has at most 500. */
export async function allFeatures(): Promise<Feature[]> {
  const found: Feature[] = [];
  let cursor: string | undefined;
  do {
    const { data, page } = await features.list({ limit: 200, cursor });
    found.push(...data);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return found;
}

/** Of a plan or a subscription. */
export const grantsOf = (record: object): Grants => (record as { entitlements?: Grants | null }).entitlements ?? {};

export function grantWords(grant: Grant | null | undefined): string {
  switch (typeof grant) {
    case "boolean":
      return grant ? "Yes" : "No";
    case "number":
      return count(grant);
    case "string":
      return "Unlimited";
    default:
      return "—";
  }
}
