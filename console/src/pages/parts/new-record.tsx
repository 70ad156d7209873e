// The list of a kind of record with a form that creates one.

import { useState } from "preact/hooks";
import type { PageOf } from "../../lib/api.js";
import { go, to } from "../../lib/router.js";
import { can } from "../../lib/session.js";
import { Status } from "../../parts/basics.js";
import type { Field, Values } from "../../parts/fields.js";
import { RecordForm } from "../../parts/form.js";
import { ListPage, type ListQuery } from "../../parts/list.js";
import { recordId } from "../../parts/rows.js";
import type { Column } from "../../parts/table.js";

interface NewRecordProps<T extends { id: string }> {
  name: string;
  page: string;
  /** "coupon": in texts. */
  noun: string;
  columns: readonly Column<T>[];
  load: (query: ListQuery) => Promise<PageOf<T>>;
  fields: readonly Field[];
  values: Values;
  create: (body: Record<string, unknown>, options: { idempotencyKey: string }) => Promise<T>;
  /** What appears here. */
  empty: string;
}

export function NewRecordList<T extends { id: string }>({ name, page, noun, columns, load, fields, values, create, empty }: NewRecordProps<T>) {
  const [isOpen, setOpen] = useState(false);
  const add = can("plans:write") && (
    <button type="button" class="primary" onClick={() => setOpen(true)}>
      New {noun}
    </button>
  );
  return (
    <>
      <ListPage
        name={name}
        columns={columns}
        id={recordId}
        load={load}
        actions={add}
        empty={
          <>
            <p>{empty}</p>
            {add}
          </>
        }
      />
      {isOpen && (
        <RecordForm
          title={`New ${noun}`}
          fields={fields}
          values={values}
          submit={`Create ${noun}`}
          done={`${noun.charAt(0).toUpperCase()}${noun.slice(1)} created`}
          save={(body, { idempotencyKey }) => create(body, { idempotencyKey })}
          close={() => setOpen(false)}
          saved={(record) => go(to(page, (record as T).id))}
        />
      )}
    </>
  );
}

/** Whether a record can be used. */
export const stateColumn: Column<{ is_active: boolean }> = {
  name: "State",
  show: ({ is_active }) => <Status value={is_active ? "active" : "inactive"} />,
  text: ({ is_active }) => (is_active ? "active" : "inactive"),
};
