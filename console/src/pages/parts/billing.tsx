// How a subscription is billed, what happens to it next, and what follows if every invoice is paid.

import { api, type Plan, type Subscription, type SubscriptionBilling, type SubscriptionForecast } from "../../lib/api.js";
import { useLoad } from "../../lib/load.js";
import { money } from "../../lib/money.js";
import { to } from "../../lib/router.js";
import { can } from "../../lib/session.js";
import { words } from "../../lib/words.js";
import { Card, Command, Day, Moment, Status, Terms, type Term } from "../../parts/basics.js";
import { Problem } from "../../parts/problem.js";
import { Table, type Column } from "../../parts/table.js";
import { changeWords } from "./planned-change.js";

const COUNT = 6;

const PARKED: Readonly<Record<string, string>> = {
  out_of_range: "a date or an amount would be out of range",
  missing_plan: "the plan or its version is missing",
  failing: "the next action failed repeatedly",
};

interface BillingProps {
  subscription: Subscription;
  billing: SubscriptionBilling;
  plans: readonly Plan[];
  /** Of the subscription: the forecast follows it. */
  revision: string;
  /** Takes the planned change back. */
  discard: () => void;
}

export function Billing({ subscription, billing, plans, revision, discard }: BillingProps) {
  return (
    <>
      {billing.parked !== null && (
        <div class="note" role="note" aria-label="Parked">
          <p>
            <strong>Parked</strong> since <Moment at={billing.parked.at} />: {PARKED[billing.parked.reason] ?? words(billing.parked.reason)}. Nothing happens to this subscription until you
            change its billing or run this command:
          </p>
          <Command text={`perennial lifecycle unpark ${subscription.id}`} />
        </div>
      )}
      <Card title="Billing">
        <Terms terms={termsOf(billing, plans)} />
        {billing.change !== null && can("subscriptions:write") && (
          <div class="actions after">
            <button type="button" onClick={discard}>
              Discard planned change
            </button>
          </div>
        )}
      </Card>
      <Card title="Forecast">
        <Forecast id={subscription.id} revision={revision} />
      </Card>
    </>
  );
}

function Forecast({ id, revision }: { id: string; revision: string }) {
  const { data, error, reload } = useLoad(`forecast ${id} ${revision}`, async () => (await api.subscriptions.forecast(id, { count: COUNT })).data);
  if (error !== undefined) {
    return <Problem error={error} retry={reload} />;
  }
  if (data === undefined) {
    return null;
  }
  // Without an invoice in any row there is nothing to compare.
  const columns = data.some(({ invoice }) => invoice !== null) ? [...COLUMNS, INVOICE] : COLUMNS;
  return data.length === 0 ? (
    <p class="faint">Nothing happens to this subscription by itself.</p>
  ) : (
    <>
      <p class="faint">If every invoice is paid.</p>
      <Table name="Forecast" columns={columns} rows={data} id={({ at, action }) => at + action} />
    </>
  );
}

function termsOf(billing: SubscriptionBilling, plans: readonly Plan[]): Term[] {
  const { change, discount, next_action, next_action_at } = billing;
  const terms: (Term | false)[] = [
    ["Next action", next_action === null ? "None" : <>{words(next_action)}, <Moment at={next_action_at} /></>],
    change !== null && ["Next period", changeWords(change, plans)],
    ["Collection", words(billing.collection)],
    ["Payment method", <code>{billing.payment_method ?? "—"}</code>],
    billing.connection_id !== null && ["Charged through", <a href={to("connections", billing.connection_id)}><code>{billing.connection_id}</code></a>],
    ["Period began", <Moment at={billing.period_start} />],
    billing.trial_ends_at !== null && ["Trial ends", <Moment at={billing.trial_ends_at} />],
    billing.paused_at !== null && ["Paused", <Moment at={billing.paused_at} />],
    billing.resumes_at !== null && ["Resumes", <Moment at={billing.resumes_at} />],
    ["Time zone", billing.time_zone],
    ["Counts from", <Moment at={billing.anchor_at} />],
    discount !== null && ["Discount", <><a href={to("coupons", discount.coupon_id)}><code>{discount.coupon_id}</code></a>{discount.periods_left !== null && `, ${discount.periods_left} periods left`}</>],
    ["Overdue invoices", billing.overdue_invoices],
  ];
  return terms.filter((term) => term !== false);
}

function invoiceTotal({ invoice }: SubscriptionForecast): string {
  const { total, currency } = (invoice ?? {}) as { total?: number; currency?: string };
  return total === undefined || currency === undefined ? "—" : money(total, currency);
}

const COLUMNS: readonly Column<SubscriptionForecast>[] = [
  { name: "Action", show: ({ action }) => words(action), text: ({ action }) => action },
  { name: "Time", show: ({ at }) => <Moment at={at} />, text: ({ at }) => at },
  { name: "Status after it", show: ({ status }) => <Status value={status} />, text: ({ status }) => status },
  { name: "Renews after it", show: ({ subscription }) => <Day at={subscription.renews_at} />, text: ({ subscription }) => subscription.renews_at },
];
const INVOICE: Column<SubscriptionForecast> = { name: "Invoice", isNumber: true, show: invoiceTotal, text: invoiceTotal };
