// Pages without rows.

import assert from "node:assert/strict";
import { test } from "node:test";
import { pageWithRows } from "../src/lib/pages.js";

/** A list whose first row is after so many pages without rows, and what was read of it. */
function listOf(empty: number) {
  const read: (string | null)[] = [];
  const page = async (cursor: string | null) => {
    read.push(cursor);
    const at = Number(cursor ?? 0);
    return { data: at < empty ? [] : [`row-${at}`], page: { limit: 25, has_more: at < empty, next_cursor: at < empty ? String(at + 1) : null } };
  };
  return { read, page };
}

test("pages without rows are skipped", async () => {
  const { read, page } = listOf(3);
  assert.deepEqual((await pageWithRows(null, page)).data, ["row-3"]);
  assert.deepEqual(read, [null, "1", "2", "3"]);
});

test("a page with rows is read alone", async () => {
  const { read, page } = listOf(0);
  assert.deepEqual((await pageWithRows(null, page)).data, ["row-0"]);
  assert.deepEqual(read, [null]);
});

test("after 5 further pages without rows, the next one is offered", async () => {
  const { read, page } = listOf(100);
  const last = await pageWithRows("10", page);
  assert.deepEqual([last.data, last.page.next_cursor, read.length], [[], "16", 6]);
});
