// How subscriptions to a plan are billed: trial, terms, dunning, tax, and charges for usage.

import { useState } from "preact/hooks";
import type { Meter, Plan, TaxRate } from "../../lib/api.js";
import { useLoad } from "../../lib/load.js";
import { can } from "../../lib/session.js";
import { words } from "../../lib/words.js";
import { Card, Terms, type Term } from "../../parts/basics.js";
import { Later } from "../../parts/later.js";
import { Problem } from "../../parts/problem.js";
import { Table, type Column } from "../../parts/table.js";
import { chargesOf, priceWords, unitOf, type Charge } from "./charges.js";
import { meters as meterResource } from "./resources.js";
import { allTaxRates, rateName } from "./tax-rates.js";

const form = () => import("../later/plan-billing-form.js");

interface PlanBillingProps {
  plan: Plan;
  /** How many subscriptions stay on the old version. */
  inUse: string;
  saved: () => void;
}

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
            <Later
              load={form}
              props={{
                plan,
                inUse,
                rates: data.rates,
                meters: data.meters,
                close: () => setOpen(false),
                saved: () => {
                  setOpen(false);
                  saved();
                },
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
