// The form that records a payment: of a subscription, or of an invoice.

import { api, type Payment } from "../../lib/api.js";
import { currentSession } from "../../lib/session.js";
import { PAYMENT_STATUSES } from "../../lib/statuses.js";
import { choices, orNull, type Field } from "../../parts/fields.js";
import { RecordForm } from "../../parts/form.js";
import type { Invoice } from "./invoice-types.js";

interface RecordPaymentProps {
  /** What is paid, if it is known. */
  invoice?: Invoice;
  subscriptionId?: string;
  close: () => void;
  saved: (payment: Payment) => void;
}

const FIELDS: readonly Field[] = [
  { name: "subscription_id", label: "Subscription", hint: "The ID of a subscription." },
  { name: "amount", label: "Amount", kind: "number" },
  { name: "currency", label: "Currency" },
  { name: "status", label: "Status", kind: "select", options: choices(PAYMENT_STATUSES) },
  { name: "external_payment_id", label: "External ID", send: orNull },
  { name: "invoice_id", label: "Invoice", hint: "Optional: the ID of an invoice of the subscription. It cannot be changed later." },
];

export function RecordPayment({ invoice, subscriptionId = "", close, saved }: RecordPaymentProps) {
  const known = ["subscription_id", "currency", "invoice_id"];
  const members = invoice === undefined ? {} : { subscription_id: invoice.subscription_id, currency: invoice.currency, invoice_id: invoice.id };
  return (
    <RecordForm
      title="Record payment"
      fields={invoice === undefined ? FIELDS : FIELDS.filter(({ name }) => !known.includes(name))}
      values={{
        subscription_id: subscriptionId,
        amount: invoice === undefined ? "" : String(invoice.amount_due),
        currency: currentSession()?.organization.currency ?? "USD",
        status: "completed",
        external_payment_id: "",
        invoice_id: "",
      }}
      submit="Record payment"
      done="Payment recorded"
      save={(body, { idempotencyKey }) => api.payments.create({ ...body, ...members } as never, { idempotencyKey })}
      close={close}
      saved={(payment) => saved(payment as Payment)}
    />
  );
}
