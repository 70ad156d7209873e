// Tables: columns as data, with a text for CSV next to what is shown.

import type { ComponentChildren } from "preact";

export interface Column<T> {
  name: string;
  show: (row: T) => ComponentChildren;
  /** The text in a CSV file. */
  text: (row: T) => unknown;
  isNumber?: boolean | undefined;
  /** The parameter that sorts by this column. */
  sort?: string | undefined;
}

interface TableProps<T> {
  name: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  id: (row: T) => string;
  sort?: { value: string; change: (value: string) => void } | undefined;
}

export function Table<T>({ name, columns, rows, id, sort }: TableProps<T>) {
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label={`${name} table`}>
      <table aria-label={name}>
        <thead>
          <tr>
            {columns.map((column) => (
              <Header key={column.name} column={column} sort={sort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={id(row)}>
              {columns.map((column) => (
                <td key={column.name} class={column.isNumber === true ? "number" : undefined} dir="auto">
                  {column.show(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Header<T>({ column, sort }: { column: Column<T>; sort: TableProps<T>["sort"] }) {
  const { name, isNumber } = column;
  const className = isNumber === true ? "number" : undefined;
  if (column.sort === undefined || sort === undefined) {
    return (
      <th scope="col" class={className}>
        {name}
      </th>
    );
  }
  const order = sort.value === column.sort ? "ascending" : sort.value === `-${column.sort}` ? "descending" : "none";
  const next = order === "descending" ? column.sort : `-${column.sort}`;
  return (
    <th scope="col" class={className} aria-sort={order}>
      <button type="button" class="sort" onClick={() => sort.change(next)}>
        {name}
        <span aria-hidden="true">{{ ascending: " ↑", descending: " ↓", none: "" }[order]}</span>
      </button>
    </th>
  );
}

/** The place of a table while it loads, in its final size. */
export function Skeleton({ rows = 25 }: { rows?: number }) {
  return (
    <div class="skeleton" aria-hidden="true">
      {Array.from({ length: rows }, (_, at) => (
        <span key={at} />
      ))}
    </div>
  );
}
