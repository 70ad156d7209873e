// The list of credit notes.

import type { Filter } from "../parts/filters.js";
import { ListPage, type ListQuery } from "../parts/list.js";
import { recordId } from "../parts/rows.js";
import type { Column } from "../parts/table.js";
import { creditNotes } from "./parts/invoice-api.js";
import { creditNoteColumns, customerColumn, named, type Named } from "./parts/invoice-rows.js";
import type { CreditNote } from "./parts/invoice-types.js";
import { Bills } from "./parts/sections.js";

const [number, ...others] = creditNoteColumns;
const COLUMNS: readonly Column<Named<CreditNote>>[] = [number!, customerColumn, ...others];

const FILTERS: readonly Filter[] = [
  { name: "invoice_id", label: "Invoice", kind: "text" },
  { name: "subscription_id", label: "Subscription", kind: "text" },
  { name: "user_id", label: "Customer ID", kind: "text" },
];

const load = async (query: ListQuery) => await named(await creditNotes.list(query));

export default function CreditNotes() {
  return (
    <>
      <Bills current="credit-notes" />
      <ListPage
        name="Credit notes"
        columns={COLUMNS}
        filters={FILTERS}
        id={recordId}
        load={load}
        empty={<p>Credit notes appear here. Create one on the page of an invoice; a change of plan can issue one too.</p>}
      />
    </>
  );
}
