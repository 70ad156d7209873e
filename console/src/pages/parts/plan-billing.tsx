// How subscriptions to a plan are billed: trial, terms, dunning, tax, and charges for usage.

import { useState } from "preact/hooks";
import { api, type Meter, type Plan, type PlanUpdate, type TaxRate } from "../../lib/api.js";
import { useLoad } from "../../lib/load.js";
import { nested } from "../../lib/nested.js";
import { can } from "../../lib/session.js";
import { words } from "../../lib/words.js";
import { Card, Terms, type Term } from "../../parts/basics.js";
import { choices, type Field, type Values } from "../../parts/fields.js";
import { RecordForm } from "../../parts/form.js";
import { Problem } from "../../parts/problem.js";
import { Table, type Column } from "../../parts/table.js";
import { chargesInput, draftsOf } from "./charges-input.js";
import { chargeOf, draftOf, MODELS, priceWords, unitOf, type Charge } from "./charges.js";
import { DUNNING, numberOrNull } from "./dunning-fields.js";
import { meters as meterResource } from "./resources.js";
import { activeRates, allTaxRates, rateName } from "./tax-rates.js";

interface PlanBillingProps {
  plan: Plan;
  /** How many subscriptions stay on the old version. */
  inUse: string;
  saved: () => void;
}

const chargesOf = ({ billing }: Plan): Charge[] => (billing?.charges ?? []) as unknown as Charge[];

async function allMeters(): Promise<Meter[]> {
  const found: Meter[] = [];
  for await (const meter of meterResource.each({ limit: 200 })) {
    found.push(meter);
  }
  return found;
}

export function PlanBilling({ plan, inUse, saved }: PlanBillingProps) {
  const { data, error, reload } = useLoad(`billing ${plan.id}`, async () => {
    const [rates, meters] = await Promise.all([allTaxRates(), allMeters()]);
    return { rates, meters };
  });
  const [isOpen, setOpen] = useState(false);
  const charges = chargesOf(plan);
  return (
    <Card title="Billing">
      {error !== undefined && <Problem error={error} retry={reload} />}
      {data !== undefined && (
        <>
          <Terms terms={termsOf(plan, data.rates)} />
          {charges.length > 0 && <Table name="Charges" columns={columnsOf(plan, data.meters)} rows={charges} id={({ meter_id, name }) => meter_id + name} />}
          {can("plans:write") && (
            <div class="actions after">
              <button type="button" onClick={() => setOpen(true)}>
                Change billing
              </button>
            </div>
          )}
          {isOpen && (
            <EditBilling
              plan={plan}
              inUse={inUse}
              rates={data.rates}
              meters={data.meters}
              close={() => setOpen(false)}
              saved={() => {
                setOpen(false);
                saved();
              }}
            />
          )}
        </>
      )}
    </Card>
  );
}

function termsOf({ billing }: Plan, rates: readonly TaxRate[]): Term[] {
  const { trial_days = 0, trial_end_behavior = "pause", incomplete_hours = 23, payment_terms_days = null, dunning = null, tax_behavior = "exclusive", tax_rate_ids = [] } = billing ?? {};
  return [
    ["Trial", trial_days === 0 ? "None" : `${trial_days} days, then ${words(trial_end_behavior).toLowerCase()} if nothing can be charged`],
    ["Incomplete for", `${incomplete_hours} hours at most`],
    ["Payment terms", payment_terms_days === null ? "As the organization" : `${payment_terms_days} days`],
    ["Dunning", dunning === null ? "As the organization" : `Retries after ${dunning.retry_days.join(", ") || "no"} days, ${dunning.grace_days} days of grace, then ${dunning.then}`],
    ["Tax", `${words(tax_behavior)}, ${tax_rate_ids.length === 0 ? "rates of the organization" : tax_rate_ids.map((id) => rateName(rates, id)).join(", ")}`],
  ];
}

function columnsOf({ currency }: Plan, meters: readonly Meter[]): Column<Charge>[] {
  const price = (charge: Charge): string => priceWords(charge, currency, unitOf(meters, charge.meter_id));
  return [
    { name: "Charge", show: ({ name }) => name, text: ({ name }) => name },
    { name: "Meter", show: ({ meter_id }) => meters.find(({ id }) => id === meter_id)?.name ?? <code>{meter_id}</code>, text: ({ meter_id }) => meter_id },
    { name: "Model", show: ({ model }) => words(model), text: ({ model }) => model },
    { name: "Price", show: (charge) => <span title={price(charge)}>{price(charge)}</span>, text: price },
  ];
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

function EditBilling({ plan, inUse, rates, meters, close, saved }: PlanBillingProps & { rates: readonly TaxRate[]; meters: readonly Meter[]; close: () => void }) {
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
