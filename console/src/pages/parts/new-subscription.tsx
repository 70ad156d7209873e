// The form of a new subscription: one that another system renews, or one that Perennial bills.

import { api, type Plan, type Subscription } from "../../lib/api.js";
import { money } from "../../lib/money.js";
import { nested } from "../../lib/nested.js";
import { go, to } from "../../lib/router.js";
import { SUBSCRIPTION_STATUSES } from "../../lib/statuses.js";
import { fromInput } from "../../lib/time.js";
import { planLabel, words } from "../../lib/words.js";
import { choices, orNull, type Field, type Value, type Values } from "../../parts/fields.js";
import { RecordForm } from "../../parts/form.js";
import { userId } from "./user-id.js";

const isBilled = ({ kind }: Values): boolean => kind === "billed";
const isExternal = (values: Values): boolean => !isBilled(values);
const instant = (value: Value): unknown => fromInput(String(value)) ?? undefined;

function fieldsOf(plans: readonly Plan[]): Field[] {
  return [
    { name: "user_id", label: "Customer", hint: "An e-mail address or a user ID." },
    { name: "subscription_plan_id", label: "Plan", kind: "select", options: plans.map((plan) => [plan.slug, planLabel(plan)]) },
    { name: "quantity", label: "Quantity", kind: "number" },
    {
      name: "kind",
      label: "Billing",
      kind: "select",
      options: [
        ["external", "Another system renews it"],
        ["billed", "Perennial renews and bills it"],
      ],
      hint: "A billed subscription gets its status and its dates from the service.",
      send: () => undefined,
    },
    { name: "status", label: "Status", kind: "select", options: choices(SUBSCRIPTION_STATUSES), when: isExternal },
    { name: "billing/collection", label: "Collection", kind: "select", options: [["automatic", "Automatic: charge when issued"], ["manual", "Manual: the customer pays until it is due"]], when: isBilled },
    { name: "billing/payment_method", label: "Payment method", hint: "Optional: a reference of your payment provider. Never a card number.", when: isBilled },
    { name: "billing/coupon", label: "Coupon", hint: "Optional: a code or an ID.", when: isBilled },
    {
      name: "trial",
      label: "Trial",
      kind: "select",
      options: [
        ["plan", "As the plan"],
        ["none", "None"],
        ["until", "Until a time"],
      ],
      when: isBilled,
      send: () => undefined,
    },
    { name: "billing/trial_ends_at", label: "Trial ends (UTC)", kind: "datetime-local", send: instant, when: (values) => isBilled(values) && values["trial"] === "until" },
    { name: "billing/time_zone", label: "Time zone", hint: "Optional: the organization's by default. It cannot be changed.", when: isBilled },
    {
      name: "first_payment",
      label: "Until the first payment",
      kind: "select",
      options: [
        ["active", "It is active"],
        ["incomplete", "It is incomplete, without access"],
      ],
      when: isBilled,
      send: () => undefined,
    },
    { name: "starts_at", label: "Starts (UTC)", kind: "datetime-local", hint: "Optional: now by default.", send: instant },
    { name: "external_subscription_id", label: "External ID", send: orNull },
  ];
}

/** What is sent: choices that are no members become the members that they mean. */
function bodyOf(body: Record<string, unknown>, values: Values): Record<string, unknown> {
  const whole = nested(body);
  if (isBilled(values)) {
    whole["billing"] = { ...(whole["billing"] as object | undefined), ...(values["trial"] === "none" ? { trial_ends_at: null } : {}) };
    if (values["first_payment"] === "incomplete") {
      whole["status"] = "incomplete";
    }
  }
  return whole;
}

export function NewSubscription({ plans, close }: { plans: readonly Plan[]; close: () => void }) {
  const first = {
    user_id: "",
    subscription_plan_id: plans[0]?.slug ?? "",
    quantity: "1",
    kind: "external",
    status: "active",
    "billing/collection": "automatic",
    "billing/payment_method": "",
    "billing/coupon": "",
    trial: "plan",
    "billing/trial_ends_at": "",
    "billing/time_zone": "",
    first_payment: "active",
    starts_at: "",
    external_subscription_id: "",
  };
  const note = (values: Values) => {
    const plan = plans.find(({ slug }) => slug === values["subscription_plan_id"]);
    return plan !== undefined && (
      <p class="faint">
        {plan.name}: {money(plan.price, plan.currency)} {words(plan.billing_cycle).toLowerCase()} per unit
      </p>
    );
  };
  return (
    <RecordForm
      title="New subscription"
      fields={fieldsOf(plans)}
      values={first}
      submit="Create subscription"
      done="Subscription created"
      note={note}
      save={async (body, { idempotencyKey, values }) => {
        const user_id = await userId(String(body["user_id"] ?? ""));
        return await api.subscriptions.create({ ...bodyOf(body, values), user_id } as never, { idempotencyKey });
      }}
      close={close}
      saved={(subscription) => go(to("subscriptions", (subscription as Subscription).id))}
    />
  );
}
