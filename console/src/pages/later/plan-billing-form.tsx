// The form of how a plan is billed.

import { useState } from "preact/hooks";
import { api, type Meter, type Plan, type PlanUpdate, type TaxRate } from "../../lib/api.js";
import { nested } from "../../lib/nested.js";
import { choices, type Field, type Values } from "../../parts/fields.js";
import { RecordForm } from "../../parts/form.js";
import { chargesInput, draftsOf } from "../parts/charges-input.js";
import { chargeOf, chargesOf, draftOf, MODELS } from "../parts/charges.js";
import { DUNNING, numberOrNull } from "../parts/dunning-fields.js";
import { activeRates } from "../parts/tax-rates.js";

export interface PlanBillingFormProps {
  plan: Plan;
  /** How many subscriptions stay on the old version. */
  inUse: string;
  rates: readonly TaxRate[];
  meters: readonly Meter[];
  close: () => void;
  saved: () => void;
}

function valuesOf(plan: Plan): Values {
  const { billing } = plan;
  return {
    "billing/trial_days": String(billing?.trial_days ?? 0),
    "billing/trial_end_behavior": billing?.trial_end_behavior ?? "pause",
    "billing/incomplete_hours": String(billing?.incomplete_hours ?? 23),
    "billing/payment_terms_days": billing?.payment_terms_days == null ? "" : String(billing.payment_terms_days),
    own_dunning: billing?.dunning != null,
    "billing/dunning/retry_days": (billing?.dunning?.retry_days ?? [1, 3, 5, 7]).join(", "),
    "billing/dunning/grace_days": String(billing?.dunning?.grace_days ?? 7),
    "billing/dunning/then": billing?.dunning?.then ?? "unpaid",
    "billing/tax_behavior": billing?.tax_behavior ?? "exclusive",
    "billing/tax_rate_ids": billing?.tax_rate_ids ?? [],
    "billing/charges": JSON.stringify(chargesOf(plan).map(draftOf)),
  };
}

function fieldsOf(plan: Plan, rates: readonly TaxRate[], meters: readonly Meter[]): Field[] {
  const offered = activeRates(rates, plan.billing?.tax_rate_ids ?? []);
  const hasOwn = (values: Values): boolean => values["own_dunning"] === true;
  const fields: (Field | false)[] = [
    { name: "billing/trial_days", label: "Trial (days)", kind: "number" },
    { name: "billing/trial_end_behavior", label: "After a trial without a payment method", kind: "select", options: choices(["pause", "cancel", "bill"]) },
    { name: "billing/incomplete_hours", label: "Incomplete for (hours)", kind: "number", hint: "Until a subscription without its first payment expires." },
    { name: "billing/payment_terms_days", label: "Payment terms (days)", kind: "number", hint: "Of manual collection. Empty means the organization's.", send: numberOrNull },
    { name: "own_dunning", label: "Own dunning schedule", kind: "check" },
    ...DUNNING.map((field) => ({ ...field, when: hasOwn })),
    { name: "billing/tax_behavior", label: "Tax", kind: "select", options: [["exclusive", "Exclusive: added to the price"], ["inclusive", "Inclusive: part of the price"]] },
    offered.length > 0 && { name: "billing/tax_rate_ids", label: "Tax rates", kind: "checks", options: offered, hint: "At most 4. None means the organization's." },
    {
      name: "billing/charges",
      label: "Charges",
      input: chargesInput(meters),
      read: (value) => draftsOf(value).map(({ name, model }) => `${name || "—"} (${MODELS[model].split(":")[0]})`).join(", ") || "—",
      send: (value) => draftsOf(value).map(chargeOf),
    },
  ];
  return fields.filter((field) => field !== false);
}

/** The schedule is sent as a whole, or as null. */
function bodyOf({ own_dunning, ...body }: Record<string, unknown>, values: Values): PlanUpdate {
  const update = nested(body) as { billing?: Record<string, unknown> };
  if (own_dunning === false) {
    return { ...update, billing: { ...update.billing, dunning: null } };
  }
  if (own_dunning === true || update.billing?.["dunning"] !== undefined) {
    const whole = Object.fromEntries(DUNNING.map(({ name, send }) => [name.split("/").at(-1), (send ?? String)(values[name] ?? "")]));
    return { ...update, billing: { ...update.billing, dunning: whole } } as PlanUpdate;
  }
  return update as PlanUpdate;
}

export default function PlanBillingForm({ plan, inUse, rates, meters, close, saved }: PlanBillingFormProps) {
  // The inputs of charges must stay the same component while something is typed.
  const [fields] = useState(() => fieldsOf(plan, rates, meters));
  const first = valuesOf(plan);
  const note = (values: Values) =>
    ["billing/tax_behavior", "billing/charges"].some((name) => values[name] !== first[name]) && (
      <p>
        This makes version {plan.version + 1}. Subscriptions that stay on the old version: {inUse}.
      </p>
    );
  return (
    <RecordForm
      title="Change billing"
      fields={fields}
      values={first}
      submit="Save changes"
      done="Billing changed"
      note={note}
      existing={{ record: plan, read: () => api.plans.get(plan.slug), values: valuesOf }}
      save={(body, { base, values }) => api.plans.update(plan.slug, bodyOf(body, values), { ifMatch: base })}
      close={close}
      saved={saved}
    />
  );
}
