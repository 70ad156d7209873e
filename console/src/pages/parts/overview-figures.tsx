// The figures of the overview: six tiles, three plots and two tables, of one currency and period.

import { useState } from "preact/hooks";
import type { Cohort, MovementKind, PaymentPeriod, PlanFigures, RevenuePeriod } from "../../lib/api.js";
import { count, money, plural } from "../../lib/money.js";
import { to } from "../../lib/router.js";
import { words } from "../../lib/words.js";
import { Card } from "../../parts/basics.js";
import { Table, type Column } from "../../parts/table.js";
import { KINDS } from "./analytics.js";
import { lastDay } from "./months.js";
import { Bars, Figure, Line } from "./plot.js";
import type { Bar } from "./scale.js";

export interface Data {
  currency: string;
  months: RevenuePeriod[];
  /** The period before, for comparison. */
  before: RevenuePeriod[];
  days: RevenuePeriod[];
  cohorts: Cohort[];
  payments: PaymentPeriod[];
  plans: PlanFigures[];
  /** The names of plans by ID. */
  planNames: ReadonlyMap<string, string>;
}

/** 0.0456 is 4.6 %. */
export const percent = (value: number | null): string =>
  value === null ? "—" : `${Math.abs(value) < 10 ? (value * 100).toFixed(1) : count(Math.round(value * 100))} %`;

const MONTH = new Intl.DateTimeFormat("en-US", { timeZone: "UTC", month: "short" });
const monthName = (period: string): string => MONTH.format(new Date(`${period.slice(0, 7)}-01T00:00:00Z`));

interface TileData {
  name: string;
  figure: string;
  /** As a fraction of the figure before; null if that was 0 or there is none. */
  change: string;
  definition: string;
}

function growth(now: number, before: number | undefined): string {
  if (before === undefined || before === 0) {
    return "No earlier period";
  }
  const ratio = now / before - 1;
  return `${ratio < 0 ? "▼" : "▲"} ${percent(Math.abs(ratio))} in the period`;
}

function points(now: number | null, before: number | null | undefined, period: string): string {
  if (now === null || before === null || before === undefined) {
    return "No earlier period";
  }
  const difference = (now - before) * 100;
  return `${difference < 0 ? "▼" : "▲"} ${Math.abs(difference).toFixed(1)} points${period}`;
}

/** The share of churned customers over all months, and revenue retention over all months. */
export function rates(months: readonly RevenuePeriod[]): { churn: number | null; retention: number | null } {
  const churned = months.reduce((sum, month) => sum + month.customers_churned, 0);
  const started = months.reduce((sum, month) => sum + month.customers_start, 0);
  const start = months.reduce((sum, month) => sum + month.start, 0);
  const lost = months.reduce((sum, month) => sum + month.expansion + month.contraction + month.churned, 0);
  return { churn: started === 0 ? null : churned / started, retention: start === 0 ? null : (start + lost) / start };
}

function tiles({ currency, months, before }: Data): TileData[] {
  const last = months.at(-1);
  const earlier = before.at(-1);
  if (last === undefined) {
    return [];
  }
  const complete = months.length > 1 ? months.at(-2) : last;
  const previous = months.length > 2 ? months.at(-3) : undefined;
  const of = (month: RevenuePeriod | undefined): string => (month === undefined ? "" : ` in ${monthName(month.period)}`);
  return [
    { name: "MRR", figure: money(last.end, currency), change: growth(last.end, earlier?.end), definition: "Monthly recurring revenue: what paying subscriptions are worth per month." },
    { name: "ARR", figure: money(last.arr, currency), change: growth(last.arr, earlier?.arr), definition: "Annual recurring revenue: 12 × MRR." },
    { name: "Customers", figure: count(last.customers_end), change: growth(last.customers_end, earlier?.customers_end), definition: "Users with MRR above 0." },
    { name: "Logo churn", figure: percent(complete?.logo_churn ?? null), change: points(complete?.logo_churn ?? null, previous?.logo_churn, of(complete)), definition: "Customers that churned in the last complete month ÷ customers at its start." },
    { name: "Net revenue retention", figure: percent(complete?.nrr ?? null), change: points(complete?.nrr ?? null, previous?.nrr, of(complete)), definition: "MRR at the end of the last complete month of those who were customers at its start ÷ their MRR then." },
    { name: "ARPU", figure: last.arpu === null ? "—" : money(last.arpu, currency), change: growth(last.arpu ?? 0, earlier?.arpu ?? undefined), definition: "Average revenue per user: MRR ÷ customers." },
  ];
}

export function Tiles({ data }: { data: Data }) {
  return (
    <div class="tiles figures">
      {tiles(data).map(({ name, figure, change, definition }) => (
        <div key={name} class="tile" role="group" aria-label={name}>
          <span class="tip">
            {name}
            <button type="button" class="icon" aria-label={`Definition of ${name}`} aria-describedby={`tip-${name}`}>
              ?
            </button>
            <span role="tooltip" id={`tip-${name}`}>
              {definition}
            </span>
          </span>
          <strong>{figure}</strong>
          <small>{change}</small>
        </div>
      ))}
    </div>
  );
}

export function Plots({ data }: { data: Data }) {
  const { currency, months, days, payments } = data;
  const [chosen, choose] = useState(days.length - 1);
  const at = Math.min(chosen, days.length - 1);
  const day = days[at];
  const show = (value: number): string => money(value, currency);
  const amount = (name: string, of: (row: RevenuePeriod) => number): Column<RevenuePeriod> => ({ name, isNumber: true, show: (row) => show(of(row)), text: of });
  const period: Column<{ period: string }> = { name: "Period", show: (row) => row.period, text: (row) => row.period };
  const bar = (month: RevenuePeriod, kind: MovementKind): Bar => ({
    series: kind,
    value: month[kind],
    label: `${words(kind)}, ${month.period}: ${show(month[kind])}`,
    href: `${to("movements")}?kind=${kind}&from=${month.period}-01&to=${lastDay(month.period)}&currency=${currency}`,
  });
  const paid = (row: PaymentPeriod): Bar[] => [
    { series: "new", value: row.collected.amount, label: `Collected, ${row.period}: ${show(row.collected.amount)}` },
    { series: "churned", value: -row.refunded.amount, label: `Refunded, ${row.period}: ${show(row.refunded.amount)}` },
    { series: "contraction", value: -row.failed.amount, label: `Failed, ${row.period}: ${show(row.failed.amount)}` },
  ];
  return (
    <div class="grid">
      <Figure
        name="MRR by day"
        reading={day === undefined ? "" : `${day.period}: ${show(day.end)}, ${plural(day.customers_end, "customer")}`}
        columns={[period, amount("MRR", (row) => row.end), { name: "Customers", isNumber: true, show: (row) => count(row.customers_end), text: (row) => row.customers_end }]}
        rows={days}
        id={(row) => row.period}
        draw={(width) => <Line name="MRR by day" values={days.map((row) => row.end)} labels={days.map((row) => row.period.slice(5))} width={width} chosen={at} choose={choose} />}
      />
      <Figure
        name="MRR movements by month"
        reading="New, expansion and reactivation above, contraction and churned below"
        columns={[period, ...KINDS.map((kind) => amount(words(kind), (row) => row[kind])), amount("End", (row) => row.end)]}
        rows={months}
        id={(row) => row.period}
        draw={(width) => <Bars name="MRR movements by month" groups={months.map((month) => ({ label: monthName(month.period), bars: KINDS.map((kind) => bar(month, kind)) }))} width={width} />}
        legend={<Legend names={KINDS.map((kind) => [kind, words(kind)])} />}
      />
      <Figure
        name="Payments by month"
        reading="Collected above, refunded and failed below"
        columns={[period, ...(["collected", "refunded", "failed"] as const).map((name): Column<PaymentPeriod> => ({ name: words(name), isNumber: true, show: (row) => show(row[name].amount), text: (row) => row[name].amount })), { name: "Failure rate", isNumber: true, show: (row) => percent(row.failure_rate), text: (row) => row.failure_rate }]}
        rows={payments}
        id={(row) => row.period}
        draw={(width) => <Bars name="Payments by month" groups={payments.map((row) => ({ label: monthName(row.period), bars: paid(row) }))} width={width} />}
        legend={<Legend names={[["new", "Collected"], ["churned", "Refunded"], ["contraction", "Failed"]]} />}
      />
      <Card title="MRR by plan">
        <Table name="MRR by plan" columns={planColumns(currency, data.planNames)} rows={data.plans} id={({ subscription_plan_id }) => subscription_plan_id} />
      </Card>
    </div>
  );
}

function Legend({ names }: { names: readonly (readonly [series: string, name: string])[] }) {
  return (
    <ul class="legend">
      {names.map(([series, name]) => (
        <li key={series}>
          <i class={`bar ${series}`} aria-hidden="true" /> {name}
        </li>
      ))}
    </ul>
  );
}

const planColumns = (currency: string, names: ReadonlyMap<string, string>): Column<PlanFigures>[] => [
  {
    name: "Plan",
    // A deleted plan has only its ID.
    show: ({ slug, name, subscription_plan_id }) => (slug === null ? <code>{subscription_plan_id}</code> : <a href={to("plans", slug)}>{names.get(subscription_plan_id) ?? name}</a>),
    text: ({ slug, subscription_plan_id }) => slug ?? subscription_plan_id,
  },
  { name: "Subscriptions", isNumber: true, show: ({ subscriptions }) => count(subscriptions), text: ({ subscriptions }) => subscriptions },
  { name: "MRR", isNumber: true, show: ({ mrr }) => money(mrr, currency), text: ({ mrr }) => mrr },
];

export function Cohorts({ rows }: { rows: readonly Cohort[] }) {
  const most = Math.max(0, ...rows.map(({ cells }) => cells.length));
  const columns: Column<Cohort>[] = [
    { name: "First paid", show: ({ cohort }) => cohort, text: ({ cohort }) => cohort },
    { name: "Customers", isNumber: true, show: ({ customers }) => count(customers), text: ({ customers }) => customers },
    ...Array.from({ length: most }, (_, month): Column<Cohort> => {
      const cell = (row: Cohort) => row.cells.find((known) => known.month === month);
      return {
        name: String(month),
        isNumber: true,
        show: (row) => {
          const retention = cell(row)?.customer_retention ?? null;
          return retention === null ? "" : <span class={`heat heat-${Math.min(5, Math.floor(retention * 5))}`}>{Math.round(retention * 100)}</span>;
        },
        text: (row) => cell(row)?.customers,
      };
    }),
  ];
  return (
    <Card title="Retention by cohort">
      <p class="subtitle">Percentage of customers that still pay at the end of each month since their first</p>
      <Table name="Retention by cohort" columns={columns} rows={rows} id={({ cohort }) => cohort} />
    </Card>
  );
}
