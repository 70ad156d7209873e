// The invoices of a subscription or a user.

import { PagedPanel, recordId } from "../../parts/rows.js";
import { invoices } from "./invoice-api.js";
import { invoiceColumns } from "./invoice-rows.js";

export function InvoicesPanel({ query, version, empty }: { query: object; version: string; empty: string }) {
  return <PagedPanel name="Invoices" version={version} load={(cursor) => invoices.list({ ...query, limit: 25, cursor })} columns={invoiceColumns} id={recordId} empty={empty} />;
}
