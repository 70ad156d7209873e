// Pages of filtered lists. The server may return a page without rows that is not the last: it reads only so many records per call.

import type { PageOf } from "./api.js";

/** How many pages are read after one without rows. */
const MORE_PAGES = 5;

/** The page at the cursor; while it has no rows, the page after it. */
export async function pageWithRows<T>(cursor: string | null, read: (cursor: string | null) => Promise<PageOf<T>>): Promise<PageOf<T>> {
  let found = await read(cursor);
  for (let more = 0; more < MORE_PAGES && found.data.length === 0 && found.page.has_more; more += 1) {
    found = await read(found.page.next_cursor);
  }
  return found;
}
