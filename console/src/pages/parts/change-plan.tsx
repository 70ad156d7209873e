// Moving a subscription to another plan or quantity, with the price before and after. A billed one can move now, with or without
// proration, or with its next period.

import { api, type Plan, type Subscription } from "../../lib/api.js";
import { money, times } from "../../lib/money.js";
import type { PlanPrice } from "../../lib/names.js";
import { words } from "../../lib/words.js";
import type { Field, Values } from "../../parts/fields.js";
import { RecordForm } from "../../parts/form.js";
import { Effects } from "./effects.js";
import { changeOf } from "./planned-change.js";

interface ChangePlanProps {
  subscription: Subscription;
  plan: Plan | undefined;
  version: PlanPrice | undefined;
  plans: readonly Plan[];
  close: () => void;
  saved: () => void;
}

function valuesOf({ subscription_plan_id, quantity }: Subscription): Values {
  return { subscription_plan_id, quantity: String(quantity), when: "now", prorate: true };
}

function priced({ price, currency, billing_cycle }: PlanPrice, quantity: number): string {
  const isValid = Number.isInteger(quantity) && quantity > 0;
  return `${money(times(price, isValid ? quantity : 1, currency), currency)} ${words(billing_cycle).toLowerCase()}`;
}

/** Fields that the form has only for billed subscriptions. They mean something together with a plan or a quantity. */
const TIMING: readonly Field[] = [
  {
    name: "when",
    label: "When",
    kind: "select",
    options: [
      ["now", "Now"],
      ["next_period", "From the next period on"],
    ],
  },
  {
    name: "prorate",
    label: "Bill and credit the rest of the period",
    kind: "check",
    when: ({ when }) => when === "now",
  },
];

export function ChangePlanDialog({ subscription, plan, version, plans, close, saved }: ChangePlanProps) {
  const offered = plans.filter(({ id, is_active }) => is_active || id === subscription.subscription_plan_id);
  const isBilled = subscription.billing !== null;
  const fields: Field[] = [
    {
      name: "subscription_plan_id",
      label: "Plan",
      kind: "select",
      options: offered.map((known) => [known.id, `${known.name}, ${priced(known.id === plan?.id && version !== undefined ? version : known, 1)}`]),
    },
    { name: "quantity", label: "Quantity", kind: "number" },
    ...(isBilled ? TIMING : []),
  ];
  const note = (values: Values) => {
    const chosen = plans.find(({ id }) => id === values["subscription_plan_id"]);
    if (chosen === undefined || version === undefined) {
      return null;
    }
    // With the next period, a subscription moves to the plan's current version, also of the same plan.
    const next = chosen.id === plan?.id && values["when"] === "now" ? version : chosen;
    return (
      <p>
        Price: {priced(version, subscription.quantity)} → <strong>{priced(next, Number(values["quantity"]))}</strong>
      </p>
    );
  };
  return (
    <RecordForm
      title="Change plan"
      fields={fields}
      values={valuesOf(subscription)}
      submit="Save changes"
      cancel="Keep current plan"
      done="Plan changed"
      note={note}
      effects={(body) => isBilled && <Effects subscription={subscription} body={changeOf(body)} plans={plans} />}
      existing={{ record: subscription, read: () => api.subscriptions.get(subscription.id), values: valuesOf }}
      save={(body, { base }) => api.subscriptions.update(subscription.id, changeOf(body), { ifMatch: base })}
      close={close}
      saved={saved}
    />
  );
}
