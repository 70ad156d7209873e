// Lists: a page at a time, or record by record.

import type { AnalyticsMeta, Page } from "./generated/types.js";

export interface PageOf<T> {
  data: T[];
  page: Page;
}

/** Rows of figures, and how far they are. */
export interface FiguresOf<T> {
  data: T[];
  meta: AnalyticsMeta;
}

/** Walks a list. A page may be short, even empty, with more to come: only `has_more` says where it ends. */
export async function* each<T>(
  list: (cursor: string | undefined) => Promise<PageOf<T>>,
  first: string | undefined,
): AsyncGenerator<T, void, undefined> {
  let cursor = first;
  do {
    const { data, page } = await list(cursor);
    yield* data;
    cursor = page.has_more ? (page.next_cursor ?? undefined) : undefined;
  } while (cursor !== undefined);
}
