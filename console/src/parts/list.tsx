// A list page: heading, filters, table, pages and export. The address has all of its state.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { guarded, type PageOf } from "../lib/api.js";
import { csv, download } from "../lib/csv.js";
import { useLoad, useSlow } from "../lib/load.js";
import { pageWithRows } from "../lib/pages.js";
import { goQuery, place } from "../lib/router.js";
import { announce } from "../lib/session.js";
import { useCell } from "../lib/cell.js";
import { Heading, ViewOnly } from "./basics.js";
import { clearFilters, Filters, filtersSet, type Filter } from "./filters.js";
import { Problem } from "./problem.js";
import { Skeleton, Table, type Column } from "./table.js";

const PAGE = 25;
const EXPORT_ROWS = 10_000;

export interface ListQuery {
  [name: string]: string | number | undefined;
  limit: number;
  cursor?: string | undefined;
  sort?: string | undefined;
}

interface ListProps<T> {
  name: string;
  subtitle?: string;
  columns: readonly Column<T>[];
  filters?: readonly Filter[];
  id: (row: T) => string;
  load: (query: ListQuery) => Promise<PageOf<T>>;
  /** How the parameters of the URL become those of the API. */
  parameters?: (set: Record<string, string>) => Record<string, string>;
  /** False if the role may not act. */
  actions?: ComponentChildren;
  empty: ComponentChildren;
  /** Changes when the list must be read again. */
  version?: number;
}

/** The cursors of the pages before this one, in the history. */
const trail = (): (string | null)[] => (history.state as { trail?: (string | null)[] } | null)?.trail ?? [];

export function ListPage<T>({ name, subtitle, columns, filters = [], id, load, parameters = (set) => set, actions, empty, version = 0 }: ListProps<T>) {
  const { query } = useCell(place);
  const set = filtersSet(filters);
  const sort = query.get("sort") ?? "";
  const cursor = query.get("cursor");
  const request = (limit: number, at: string | null): ListQuery => ({
    ...parameters(set),
    ...(sort === "" ? {} : { sort }),
    ...(at === null ? {} : { cursor: at }),
    limit,
  });
  const key = JSON.stringify([set, sort, cursor, version]);
  const { data, error, isBusy, reload } = useLoad(key, () => pageWithRows(cursor, (at) => load(request(PAGE, at))));
  const isSlow = useSlow(isBusy);
  const rows = data?.data ?? [];
  const next = data?.page.has_more === true ? data.page.next_cursor : null;
  const isEmpty = data !== undefined && rows.length === 0 && next === null && cursor === null;
  const previous = (): void => {
    const before = trail();
    goQuery({ cursor: before.at(-1) ?? "" }, { state: { trail: before.slice(0, -1) } });
  };
  const forward = (): void => goQuery({ cursor: next ?? "" }, { state: { trail: [...trail(), cursor] } });
  return (
    <>
      <header class="page-head">
        <div>
          <Heading>{name}</Heading>
          <p class="subtitle">{sort === "" ? `${subtitle ?? "Newest first"}, times in UTC` : "Times in UTC"}</p>
        </div>
        <div class="actions">
          <Export name={name} columns={columns} load={load} request={request} />
          {actions === false ? <ViewOnly /> : actions}
        </div>
      </header>
      {filters.length > 0 && <Filters filters={filters} />}
      {error !== undefined && <Problem error={error} retry={reload} />}
      {data === undefined && error === undefined && isSlow && <Skeleton />}
      {isEmpty && Object.keys(set).length > 0 && (
        <div class="empty">
          <p>No matching records</p>
          <button type="button" onClick={() => clearFilters(filters)}>
            Clear filters
          </button>
        </div>
      )}
      {isEmpty && Object.keys(set).length === 0 && <div class="empty">{empty}</div>}
      {data !== undefined && !isEmpty && (
        <>
          {rows.length === 0 ? (
            <div class="empty">
              <p>{next === null ? "No further records" : "No matching records so far"}</p>
            </div>
          ) : (
            <Table name={name} columns={columns} rows={rows} id={id} sort={{ value: sort, change: (value) => goQuery({ sort: value, cursor: "" }) }} />
          )}
          <div class="pages">
            <button type="button" aria-disabled={cursor === null} disabled={cursor === null} onClick={previous}>
              Previous page
            </button>
            <button type="button" aria-disabled={next === null} disabled={next === null} onClick={forward}>
              Next page
            </button>
          </div>
        </>
      )}
    </>
  );
}

interface ExportProps<T> {
  name: string;
  columns: readonly Column<T>[];
  load: (query: ListQuery) => Promise<PageOf<T>>;
  request: (limit: number, at: string | null) => ListQuery;
}

/** Writes the filtered list to a file, page by page. */
function Export<T>({ name, columns, load, request }: ExportProps<T>) {
  const [isBusy, setBusy] = useState(false);
  const write = async (): Promise<void> => {
    setBusy(true);
    try {
      const rows: T[] = [];
      let cursor: string | null = null;
      do {
        const page: PageOf<T> = await guarded(() => load(request(200, cursor)));
        rows.push(...page.data);
        cursor = page.page.has_more ? page.page.next_cursor : null;
      } while (cursor !== null && rows.length < EXPORT_ROWS);
      const cells = rows.slice(0, EXPORT_ROWS).map((row) => columns.map(({ text }) => text(row)));
      download(`${name.toLowerCase().replace(/ /g, "-")}.csv`, csv(columns.map((column) => column.name), cells));
      announce(`${cells.length} rows exported`);
    } catch {
      announce("The export failed");
    } finally {
      setBusy(false);
    }
  };
  return (
    <button type="button" aria-disabled={isBusy} onClick={() => void (isBusy || write())}>
      Export CSV
    </button>
  );
}
