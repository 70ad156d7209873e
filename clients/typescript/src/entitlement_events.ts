// Whose entitlements an event of the feed may have changed.

import type { Event } from "./generated/types.js";

export interface Reached {
  /** Users and subscriptions: all answers that name one of them. */
  names: string[];
  /** A subscription whose members are concerned even if their answers do not name it. */
  membersOf?: string;
}

/** What of a subscription decides what it grants. A renewal, for example, changes none of it. */
const DECISIVE = ["user_id", "subscription_plan_id", "status", "is_active", "has_access", "starts_at", "ends_at", "quantity", "entitlements"];

export function reach({ type, record_id, data, before }: Pick<Event, "type" | "record_id" | "data" | "before">): Reached | "everyone" {
  const [kind, action] = type.split(".") as [string, string];
  const owners = [data, before].map((record) => record?.["user_id"]).filter((id): id is string => typeof id === "string");
  if (data === null && kind !== "usage") {
    return "everyone";
  }
  switch (kind) {
    case "member":
      return { names: owners };
    case "usage":
      return { names: [record_id] };
    case "subscription": {
      const names = [record_id, ...owners];
      // A new one has no members, and a deleted one takes away only what answers name.
      const isKnown = action === "created" || action === "deleted";
      return isKnown || !isDecisive(data, before) ? { names } : { names, membersOf: record_id };
    }
    default:
      return "everyone";
  }
}

function isDecisive(data: Event["data"], before: Event["before"]): boolean {
  const text = (record: Event["data"] | null, name: string): string => JSON.stringify(record?.[name]) ?? "";
  return before === null || DECISIVE.some((name) => text(data, name) !== text(before, name));
}
