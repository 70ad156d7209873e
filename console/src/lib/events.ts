// The newest events.

import { api, type Event, type EventQuery } from "./api.js";

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
