// What an event changed.

import type { Event } from "./api.js";

export interface Difference {
  field: string;
  before: unknown;
  after: unknown;
}

/** Fields that change with every update and explain nothing. */
const UNINTERESTING = new Set(["updated_at", "created_at", "id"]);

type Members = Record<string, unknown>;

/** The fields that an event changed. */
export function differences({ before, data }: Pick<Event, "data" | "before">): Difference[] {
  return before === null || data === null ? [] : compared(before as unknown as Members, data as unknown as Members, "");
}

/** The members of nested objects are compared one by one: `change` of `billing` is `billing_change`. */
function compared(before: Members, after: Members, prefix: string): Difference[] {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((field) => !UNINTERESTING.has(field));
  return fields.flatMap((name) => {
    const [one, other] = [before[name] ?? null, after[name] ?? null];
    const field = prefix + name;
    if (JSON.stringify(one) === JSON.stringify(other)) {
      return [];
    }
    const isNested = (isObject(one) || one === null) && (isObject(other) || other === null);
    return isNested ? compared((one ?? {}) as Members, (other ?? {}) as Members, `${field}_`) : [{ field, before: one, after: other }];
  });
}

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);
