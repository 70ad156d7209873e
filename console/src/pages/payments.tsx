// The list of payments.

import { useState } from "preact/hooks";
import { api, type PageOf, type Payment, type PaymentQuery } from "../lib/api.js";
import { go, place, to } from "../lib/router.js";
import { can } from "../lib/session.js";
import { PAYMENT_STATUSES } from "../lib/statuses.js";
import { startOfDay } from "../lib/time.js";
import { choices } from "../parts/fields.js";
import type { Filter } from "../parts/filters.js";
import { ListPage, type ListQuery } from "../parts/list.js";
import { paymentColumns, recordId } from "../parts/rows.js";
import { RecordPayment } from "./parts/record-payment.js";

const FILTERS: readonly Filter[] = [
  { name: "status", label: "Status", kind: "statuses", options: choices(PAYMENT_STATUSES) },
  { name: "currency", label: "Currency", kind: "text" },
  { name: "subscription_id", label: "Subscription", kind: "text" },
  { name: "external_payment_id", label: "External ID", kind: "text" },
  { name: "created_after", label: "Created from", kind: "date" },
  { name: "created_before", label: "Created before", kind: "date" },
  { name: "date_after", label: "Paid from", kind: "date" },
  { name: "date_before", label: "Paid before", kind: "date" },
];

function parameters(set: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(set).map(([name, value]) => [name, /_(after|before)$/.test(name) ? startOfDay(value) : value]));
}

const load = (query: ListQuery): Promise<PageOf<Payment>> => api.payments.list(query as unknown as PaymentQuery);

export default function Payments() {
  const [isOpen, setOpen] = useState(false);
  const add = can("payments:write") && (
    <button type="button" class="primary" onClick={() => setOpen(true)}>
      Record payment
    </button>
  );
  return (
    <>
      <ListPage
        name="Payments"
        columns={paymentColumns}
        filters={FILTERS}
        id={recordId}
        load={load}
        parameters={parameters}
        actions={add}
        empty={
          <>
            <p>Payments for subscriptions appear here.</p>
            {add}
          </>
        }
      />
      {isOpen && <RecordPayment subscriptionId={place.get().query.get("subscription_id") ?? ""} close={() => setOpen(false)} saved={({ id }) => go(to("payments", id))} />}
    </>
  );
}
