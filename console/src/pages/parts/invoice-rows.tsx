// Columns and parts that pages of invoices and credit notes share: rows of lists, lines, totals, the parties.

import type { ComponentChildren } from "preact";
import { usersById, userName } from "../../lib/names.js";
import type { PageOf } from "../../lib/api.js";
import { count, money, rate } from "../../lib/money.js";
import { to } from "../../lib/router.js";
import { words } from "../../lib/words.js";
import { Day, Status, Terms, type Term } from "../../parts/basics.js";
import { Table, type Column } from "../../parts/table.js";
import type { CreditNote, Invoice, Issued, Line, Party } from "./invoice-types.js";

/** A document with its customer's address. */
export type Named<T> = T & { customer: string };

export async function named<T extends Issued>({ data, page }: PageOf<T>): Promise<PageOf<Named<T>>> {
  const users = await usersById(data.map(({ user_id }) => user_id));
  return { data: data.map((row) => ({ ...row, customer: userName(users.get(row.user_id), row.user_id) })), page };
}

export const nameOf = ({ number, id }: { number: string | null; id: string }): string => number ?? id;

/** The status, and whether payment is late. */
export function InvoiceStatus({ status, overdue }: Pick<Invoice, "status" | "overdue">) {
  return (
    <>
      <Status value={status} /> {overdue && <Status value="overdue" />}
    </>
  );
}

export const invoiceColumns: readonly Column<Invoice>[] = [
  { name: "Number", show: (invoice) => <a href={to("invoices", invoice.id)}>{invoice.number ?? "Draft"}</a>, text: nameOf },
  { name: "Status", show: (invoice) => <InvoiceStatus {...invoice} />, text: ({ status }) => status },
  { name: "Total", isNumber: true, show: ({ total, currency }) => money(total, currency), text: ({ total, currency }) => `${total} ${currency}` },
  { name: "Amount due", isNumber: true, show: ({ amount_due, currency }) => money(amount_due, currency), text: ({ amount_due, currency }) => `${amount_due} ${currency}` },
  { name: "Kind", show: ({ kind }) => words(kind), text: ({ kind }) => kind },
  { name: "Issued", show: ({ issued_at }) => <Day at={issued_at} />, text: ({ issued_at }) => issued_at },
  { name: "Due", show: ({ due_at }) => <Day at={due_at} />, text: ({ due_at }) => due_at },
  { name: "Created", show: ({ created_at }) => <Day at={created_at} />, text: ({ created_at }) => created_at },
];

export const customerColumn: Column<{ user_id: string; customer: string }> = {
  name: "Customer",
  show: ({ user_id, customer }) => <a href={to("users", user_id)}>{customer}</a>,
  text: ({ customer }) => customer,
};

export const creditNoteColumns: readonly Column<CreditNote>[] = [
  { name: "Number", show: (note) => <a href={to("credit-notes", note.id)}>{nameOf(note)}</a>, text: nameOf },
  { name: "Total", isNumber: true, show: ({ total, currency }) => money(total, currency), text: ({ total, currency }) => `${total} ${currency}` },
  {
    name: "Invoice",
    show: ({ invoice_id, invoice_number }) => (invoice_id === null ? (invoice_number ?? "—") : <a href={to("invoices", invoice_id)}>{invoice_number ?? invoice_id}</a>),
    text: ({ invoice_number }) => invoice_number,
  },
  { name: "Settlement", show: ({ settlement }) => words(settlement), text: ({ settlement }) => settlement },
  { name: "Reason", show: ({ reason }) => <span title={reason ?? ""}>{reason ?? "—"}</span>, text: ({ reason }) => reason },
  { name: "Issued", show: ({ issued_at }) => <Day at={issued_at} />, text: ({ issued_at }) => issued_at },
];

function Span({ period_start, period_end }: Pick<Line, "period_start" | "period_end">) {
  return period_start === null || period_end === null ? (
    <>—</>
  ) : (
    <>
      <Day at={period_start} /> – <Day at={period_end} />
    </>
  );
}

export function Lines({ document: { lines, currency } }: { document: Issued }) {
  const columns: Column<Line>[] = [
    { name: "Description", show: ({ description }) => description, text: ({ description }) => description },
    { name: "Kind", show: ({ kind }) => words(kind), text: ({ kind }) => kind },
    { name: "Period", show: (line) => <Span {...line} />, text: ({ period_start }) => period_start },
    { name: "Quantity", isNumber: true, show: ({ quantity }) => (quantity === null ? "—" : count(quantity)), text: ({ quantity }) => quantity },
    { name: "Unit price", isNumber: true, show: ({ unit_price }) => (unit_price === null ? "—" : rate(unit_price, currency)), text: ({ unit_price }) => unit_price },
    { name: "Discount", isNumber: true, show: ({ discount }) => (discount === null || discount === 0 ? "—" : money(discount, currency)), text: ({ discount }) => discount },
    { name: "Amount", isNumber: true, show: ({ amount }) => money(amount, currency), text: ({ amount }) => amount },
  ];
  const rows = lines.map((line, at) => ({ ...line, at }));
  return rows.length === 0 ? <p class="faint">There are no lines yet.</p> : <Table name="Lines" columns={columns as Column<Line & { at: number }>[]} rows={rows} id={({ at }) => String(at)} />;
}

/** The way from the lines to the total, and what follows it. */
export function Totals({ document: { subtotal, discount, taxes, total, currency }, after }: { document: Issued; after: readonly Term[] }) {
  const terms: Term[] = [
    ["Subtotal", money(subtotal, currency)],
    ...(discount === 0 ? [] : [["Discount", money(-discount, currency)] as Term]),
    ...taxes.map(({ name, percentage, base, amount, tax_behavior }): Term => [
      `${name} ${percentage} %`,
      `${money(amount, currency)} ${tax_behavior === "inclusive" ? "included" : ""} on ${money(base, currency)}`,
    ]),
    ["Total", <strong>{money(total, currency)}</strong>],
    ...after,
  ];
  return <Terms terms={terms} />;
}

/** The party as the document prints it. */
export function PartyLines({ party }: { party: Party | null }): ComponentChildren {
  const lines = party === null ? [] : [party.name, ...(party.address ?? []), party.country, party.tax_id, party.email].filter((line) => line != null && line !== "");
  return lines.length === 0 ? "—" : lines.map((line, at) => <div key={at} dir="auto">{line}</div>);
}
