// The list of invoices.

import { startOfDay } from "../lib/time.js";
import { choices } from "../parts/fields.js";
import type { Filter } from "../parts/filters.js";
import { ListPage, type ListQuery } from "../parts/list.js";
import { recordId } from "../parts/rows.js";
import type { Column } from "../parts/table.js";
import { invoices } from "./parts/invoice-api.js";
import { customerColumn, invoiceColumns, named, type Named } from "./parts/invoice-rows.js";
import type { Invoice } from "./parts/invoice-types.js";
import { Bills } from "./parts/sections.js";

const [number, ...others] = invoiceColumns;
const COLUMNS: readonly Column<Named<Invoice>>[] = [number!, customerColumn, ...others];

const FILTERS: readonly Filter[] = [
  { name: "status", label: "Status", kind: "statuses", options: choices(["draft", "open", "paid", "uncollectible", "void"]) },
  { name: "kind", label: "Kind", kind: "select", options: choices(["cycle", "change", "one_off"]) },
  { name: "overdue", label: "Overdue", kind: "select", options: [["true", "Yes"], ["false", "No"]] },
  { name: "number", label: "Number", kind: "text" },
  { name: "subscription_id", label: "Subscription", kind: "text" },
  { name: "issued_after", label: "Issued from", kind: "date" },
  { name: "issued_before", label: "Issued before", kind: "date" },
  { name: "due_after", label: "Due from", kind: "date" },
  { name: "due_before", label: "Due before", kind: "date" },
];

/** Days in the URL are instants in the API. */
function parameters(set: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(set).map(([name, value]) => [name, /_(after|before)$/.test(name) ? startOfDay(value) : value]));
}

const load = async (query: ListQuery) => await named(await invoices.list(query));

export default function Invoices() {
  return (
    <>
      <Bills current="invoices" />
      <ListPage
        name="Invoices"
        columns={COLUMNS}
        filters={FILTERS}
        id={recordId}
        load={load}
        parameters={parameters}
        empty={<p>Invoices of billed subscriptions appear here. Create a billed subscription to get the first one.</p>}
      />
    </>
  );
}
