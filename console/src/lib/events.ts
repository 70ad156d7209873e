// The newest events, and what an event changed.

import { api, type Event, type EventQuery } from "./api.js";

export interface Difference {
  field: string;
  before: unknown;
  after: unknown;
}

/** Fields that change with every update and explain nothing. */
const UNINTERESTING = new Set(["updated_at", "created_at", "id"]);

/** How many pages are read to fill one: under a rare filter a page can be empty and have more. */
const PAGES = 10;

/** The newest events first. */
export async function newestEvents(query: EventQuery & { limit: number }): Promise<{ data: Event[]; next: string | null }> {
  const data: Event[] = [];
  let cursor = query.cursor;
  for (let read = 0; read < PAGES; read += 1) {
    const found = await api.feed.list({ ...query, cursor, limit: query.limit - data.length, sort: "-sequence" });
    data.push(...found.data);
    cursor = found.page.next_cursor ?? undefined;
    if (cursor === undefined || data.length >= query.limit) {
      break;
    }
  }
  return { data, next: cursor ?? null };
}

/** The fields that an event changed. */
export function differences(event: Pick<Event, "data" | "before">): Difference[] {
  const { before, data } = event as { before: Record<string, unknown> | null; data: Record<string, unknown> | null };
  if (before === null || data === null) {
    return [];
  }
  const fields = [...new Set([...Object.keys(before), ...Object.keys(data)])].filter((field) => !UNINTERESTING.has(field));
  const differ = (field: string): boolean => JSON.stringify(before[field]) !== JSON.stringify(data[field]);
  return fields.filter(differ).map((field) => ({ field, before: before[field], after: data[field] }));
}
