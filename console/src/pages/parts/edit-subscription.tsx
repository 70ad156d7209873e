// The form of a subscription. Of a billed one, the service sets the dates and the plan has a form of its own.

import { api, type Subscription } from "../../lib/api.js";
import { nested } from "../../lib/nested.js";
import { CYCLES, nextOfSubscription } from "../../lib/statuses.js";
import { fromInput, toInput } from "../../lib/time.js";
import { choices, orNull, type Field, type Value, type Values } from "../../parts/fields.js";
import { RecordForm } from "../../parts/form.js";
import { Effects } from "./effects.js";

const instant = (value: Value): unknown => fromInput(String(value));

function valuesOf(subscription: Subscription): Values {
  const { billing } = subscription;
  return {
    status: subscription.status,
    quantity: String(subscription.quantity),
    billing_cycle: subscription.billing_cycle,
    starts_at: toInput(subscription.starts_at),
    renews_at: toInput(subscription.renews_at),
    ends_at: toInput(subscription.ends_at),
    external_subscription_id: subscription.external_subscription_id ?? "",
    is_active: subscription.is_active,
    "billing/collection": billing?.collection ?? "",
    "billing/payment_method": billing?.payment_method ?? "",
    "billing/coupon": billing?.discount?.coupon_id ?? "",
    "billing/trial_ends_at": toInput(billing?.trial_ends_at ?? null),
    "billing/resumes_at": toInput(billing?.resumes_at ?? null),
  };
}

function fieldsOf(subscription: Subscription): Field[] {
  const { status, billing } = subscription;
  const fields: (Field | false)[] = [
    { name: "status", label: "Status", kind: "select", options: choices([status, ...nextOfSubscription(subscription)]) },
    billing === null && { name: "quantity", label: "Quantity", kind: "number" },
    billing === null && { name: "billing_cycle", label: "Billing cycle", kind: "select", options: choices(CYCLES) },
    billing === null && { name: "starts_at", label: "Starts (UTC)", kind: "datetime-local", send: instant },
    billing === null && { name: "renews_at", label: "Renews (UTC)", kind: "datetime-local", send: instant },
    { name: "ends_at", label: "Ends (UTC)", kind: "datetime-local", send: instant },
    billing !== null && { name: "billing/collection", label: "Collection", kind: "select", options: choices(["automatic", "manual"]) },
    billing !== null && { name: "billing/payment_method", label: "Payment method", hint: "A reference of your payment provider. Never a card number.", send: orNull },
    billing !== null && { name: "billing/coupon", label: "Coupon", hint: "A code or an ID. It counts from the next period. Empty removes the discount.", send: orNull },
    billing !== null && ["pending", "on_trial"].includes(status) && { name: "billing/trial_ends_at", label: "Trial ends (UTC)", kind: "datetime-local", send: instant },
    billing !== null && ["on_trial", "active", "past_due", "paused"].includes(status) && { name: "billing/resumes_at", label: "Resumes (UTC)", kind: "datetime-local", hint: "Only while paused, or together with the pause.", send: instant },
    { name: "external_subscription_id", label: "External ID", send: orNull },
    { name: "is_active", label: "Active", kind: "check" },
  ];
  return fields.filter((field) => field !== false);
}

export function EditDialog({ subscription, close, saved }: { subscription: Subscription; close: () => void; saved: () => void }) {
  return (
    <RecordForm
      title="Edit subscription"
      fields={fieldsOf(subscription)}
      values={valuesOf(subscription)}
      submit="Save changes"
      done="Subscription changed"
      effects={(body) => subscription.billing !== null && <Effects subscription={subscription} body={nested(body)} />}
      existing={{ record: subscription, read: () => api.subscriptions.get(subscription.id), values: valuesOf }}
      save={(body, { base }) => api.subscriptions.update(subscription.id, nested(body), { ifMatch: base })}
      close={close}
      saved={saved}
    />
  );
}
