// The list of subscriptions.

import { useState } from "preact/hooks";
import { api, type PageOf, type SubscriptionQuery } from "../lib/api.js";
import { useLoad } from "../lib/load.js";
import { allPlans, withNames, type SubscriptionRow } from "../lib/names.js";
import { can } from "../lib/session.js";
import { CYCLES, SUBSCRIPTION_STATUSES } from "../lib/statuses.js";
import { startOfDay } from "../lib/time.js";
import { planLabel } from "../lib/words.js";
import { choices } from "../parts/fields.js";
import type { Filter } from "../parts/filters.js";
import { ListPage, type ListQuery } from "../parts/list.js";
import { subscriptionColumns, subscriptionId } from "../parts/rows.js";
import { NewSubscription } from "./parts/new-subscription.js";

const DATES = ["created_after", "created_before", "renews_after", "renews_before", "ends_after", "ends_before"];

async function load(query: ListQuery): Promise<PageOf<SubscriptionRow>> {
  const { data, page } = await api.subscriptions.list(query as unknown as SubscriptionQuery);
  return { data: await withNames(data), page };
}

/** Days in the URL are instants in the API. */
function parameters(set: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(set).map(([name, value]) => [name, DATES.includes(name) ? startOfDay(value) : value]));
}

export default function Subscriptions() {
  const [isOpen, setOpen] = useState(false);
  const { data: plans = [] } = useLoad("plans", () => allPlans.get());
  const planChoices = plans.map((plan): [string, string] => [plan.slug, planLabel(plan)]);
  const filters: Filter[] = [
    { name: "status", label: "Status", kind: "statuses", options: choices(SUBSCRIPTION_STATUSES) },
    { name: "subscription_plan_id", label: "Plan", kind: "select", options: planChoices },
    { name: "billing_cycle", label: "Billing cycle", kind: "select", options: choices(CYCLES) },
    { name: "created_after", label: "Created from", kind: "date" },
    { name: "created_before", label: "Created before", kind: "date" },
    { name: "renews_after", label: "Renews from", kind: "date" },
    { name: "renews_before", label: "Renews before", kind: "date" },
    { name: "external_subscription_id", label: "External ID", kind: "text" },
  ];
  const add = can("subscriptions:write") && (
    <button type="button" class="primary" onClick={() => setOpen(true)}>
      New subscription
    </button>
  );
  return (
    <>
      <ListPage
        name="Subscriptions"
        columns={subscriptionColumns}
        filters={filters}
        id={subscriptionId}
        load={load}
        parameters={parameters}
        actions={add}
        empty={
          <>
            <p>Subscriptions of your customers appear here.</p>
            {add}
          </>
        }
      />
      {isOpen && <NewSubscription plans={plans.filter((plan) => plan.is_active)} close={() => setOpen(false)} />}
    </>
  );
}
