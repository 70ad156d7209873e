// The overview: revenue figures of a period, what renews soon, and what happened last. Without a subscription: how to begin.
// Where the server has no analytics: how many subscriptions there are by status.

import { api, PerennialProblem, type Event, type Plan, type SubscriptionQuery } from "../lib/api.js";
import { useCell } from "../lib/cell.js";
import { now, readClock } from "../lib/clock.js";
import { newestEvents } from "../lib/events.js";
import { useLoad } from "../lib/load.js";
import { count } from "../lib/money.js";
import { allPlans, callerNames, withNames, type SubscriptionRow } from "../lib/names.js";
import { goQuery, place, to } from "../lib/router.js";
import { can, currentSession } from "../lib/session.js";
import { inDays, moment } from "../lib/time.js";
import { eventWords, planLabel } from "../lib/words.js";
import { Card, Heading, Moment } from "../parts/basics.js";
import { Later } from "../parts/later.js";
import { Problem } from "../parts/problem.js";
import { recordId, subscriptionColumns, subscriptionId } from "../parts/rows.js";
import { Table, type Column } from "../parts/table.js";
import { By } from "../parts/timeline.js";
import { currencyOf, type Meta } from "./parts/analytics.js";
import type { Progress } from "./later/get-started.js";
import { monthsBefore } from "./parts/months.js";
import { Cohorts, Plots, Tiles, type Data } from "./parts/overview-figures.js";
import { analytics } from "./parts/resources.js";

const COUNTED = 200;
const getStarted = () => import("./later/get-started.js");

const TILES: readonly (readonly [name: string, query: SubscriptionQuery, link: string])[] = [
  ["Active", { status: "active" }, "status=active"],
  ["On trial", { status: "on_trial" }, "status=on_trial"],
  ["Past due", { status: "past_due" }, "status=past_due"],
  ["Cancelled", { status: "cancelled" }, "status=cancelled"],
];

interface Overview {
  at: string;
  tiles: { name: string; figure: string; link: string }[];
  renewals: SubscriptionRow[];
  events: Event[];
  names: Map<string, string>;
  progress: Progress;
  isEmpty: boolean;
  /** Undefined if the server or the role has no analytics. */
  figures: { data: Data; meta: Meta } | undefined;
}

/** Figures that are this far behind are marked. */
const BEHIND_SECONDS = 300;
const PERIODS = [3, 6, 12, 24];

/** The figures of so many months, and those of the months before for comparison. */
async function figures(months: number, currency: string | undefined, known: readonly Plan[]): Promise<Overview["figures"]> {
  const month = new Date(now()).toISOString().slice(0, 7);
  const query = { currency, from: monthsBefore(month, 2 * months - 1), to: month };
  try {
    const revenue = await analytics.revenue(query);
    const code = currencyOf(revenue.meta);
    const shown = { currency: code, from: monthsBefore(month, months - 1), to: month };
    const [days, cohorts, payments, plans] = await Promise.all([
      analytics.revenue({ ...shown, interval: "day", from: dayBefore(Math.min(months * 30, 399)), to: undefined }),
      analytics.cohorts(shown),
      analytics.payments(shown),
      analytics.plans({ currency: code }),
    ]);
    const data = {
      currency: code,
      months: revenue.data.slice(-months),
      before: revenue.data.slice(0, -months),
      days: days.data,
      cohorts: cohorts.data,
      payments: payments.data,
      plans: plans.data,
      planNames: new Map(known.map((plan) => [plan.id, planLabel(plan)])),
    };
    return { data, meta: revenue.meta };
  } catch (failure) {
    if (failure instanceof PerennialProblem && failure.status === 404) {
      return undefined;
    }
    throw failure;
  }
}

const dayBefore = (days: number): string => inDays(-days, now()).slice(0, 10);

async function counted(query: SubscriptionQuery): Promise<string> {
  const { data, page } = await api.subscriptions.list({ ...query, limit: COUNTED });
  return page.has_more ? `${COUNTED}+` : count(data.length);
}

async function read(months: number, currency: string | undefined): Promise<Overview> {
  // In a test organization everything is relative to its clock.
  await readClock();
  const at = new Date(now()).toISOString();
  const [first, plans, latest, names, users] = await Promise.all([
    api.subscriptions.list({ limit: 1 }),
    allPlans.get(),
    can("events:read") ? newestEvents({ limit: 10 }) : { data: [] },
    callerNames(),
    can("users:read") ? api.users.list({ limit: 50 }) : { data: [] },
  ]);
  const isEmpty = first.data.length === 0;
  const progress = {
    plan: plans[0]?.slug,
    hasServer: latest.data.some(({ client_id, type }) => client_id !== null && !type.startsWith("client.")),
    hasProvider: users.data.some(({ auth_provider }) => auth_provider !== null),
  };
  const common = { at, events: latest.data, names, progress, isEmpty };
  if (isEmpty) {
    return { ...common, tiles: [], renewals: [], figures: undefined };
  }
  const soon = api.subscriptions.list({ renews_after: at, renews_before: inDays(7, now()), status: "active,on_trial,past_due", sort: "renews_at", limit: 10 });
  const found = can("analytics:read") ? await figures(months, currency, plans) : undefined;
  const statuses = found === undefined ? TILES : [];
  const [tiles, renewals] = await Promise.all([
    Promise.all(statuses.map(async ([name, query, link]) => ({ name, figure: await counted(query), link: `${to("subscriptions")}?${link}` }))),
    soon.then(({ data }) => withNames(data)),
  ]);
  return { ...common, tiles, renewals, figures: found };
}

export default function OverviewPage() {
  const { query } = useCell(place);
  const chosen = Number(query.get("months"));
  const months = PERIODS.includes(chosen) ? chosen : 12;
  const currency = query.get("currency") ?? undefined;
  const { data, error, reload } = useLoad(`overview ${months} ${currency}`, () => read(months, currency));
  const meta = data?.figures?.meta;
  return (
    <>
      <header class="page-head">
        <div>
          <Heading>Overview</Heading>
          <p class="subtitle" dir="auto">
            {currentSession()?.organization.name}
          </p>
          {data !== undefined && <p class="subtitle">Data as of {moment(meta?.as_of ?? data.at)}</p>}
        </div>
        {data !== undefined && (
          <div class="actions">
            {meta !== undefined && <Choices months={months} meta={meta} />}
            <button type="button" onClick={reload}>
              Refresh
            </button>
          </div>
        )}
      </header>
      {meta !== undefined && meta.lag_seconds > BEHIND_SECONDS && (
        <p class="note" role="note" aria-label="Figures are behind">
          <strong>Figures are behind</strong>: changes after {moment(meta.as_of)} are not included yet.
        </p>
      )}
      {error !== undefined && <Problem error={error} retry={reload} />}
      {data !== undefined && (data.isEmpty ? <Later load={getStarted} props={{ progress: data.progress }} /> : <Figures data={data} />)}
      {data !== undefined && <LatestEvents data={data} />}
    </>
  );
}

function Choices({ months, meta }: { months: number; meta: Meta }) {
  const chosen = currencyOf(meta);
  const currencies = meta.currencies.includes(chosen) ? meta.currencies : [chosen, ...meta.currencies];
  return (
    <>
      <div class="filter">
        <label for="period">Period</label>
        <select id="period" value={String(months)} onChange={(event) => goQuery({ months: event.currentTarget.value })}>
          {PERIODS.map((count) => (
            <option key={count} value={String(count)}>
              {count} months
            </option>
          ))}
        </select>
      </div>
      <div class="filter">
        <label for="currency">Currency</label>
        <select id="currency" value={chosen} onChange={(event) => goQuery({ currency: event.currentTarget.value })}>
          {currencies.map((code) => (
            <option key={code} value={code}>
              {code}
            </option>
          ))}
        </select>
      </div>
    </>
  );
}

function Figures({ data }: { data: Overview }) {
  return (
    <>
      {data.figures !== undefined && (
        <>
          <Tiles data={data.figures.data} />
          <Plots data={data.figures.data} />
          <Cohorts rows={data.figures.data.cohorts} />
        </>
      )}
      {data.tiles.length > 0 && (
      <div class="tiles">
        {data.tiles.map(({ name, figure, link }) => (
          <div key={name} class="tile" role="group" aria-label={`${name} subscriptions`}>
            <span>{name}</span>
            <strong>
              <a href={link}>{figure}</a>
            </strong>
          </div>
        ))}
      </div>
      )}
      <Card title="Renewals in the next 7 days">
        {data.renewals.length === 0 ? (
          <p class="faint">No subscription renews within 7 days.</p>
        ) : (
          <Table name="Renewals in the next 7 days" columns={subscriptionColumns.filter(({ name }) => ["Customer", "Plan", "Status", "Price", "Renews"].includes(name))} rows={data.renewals} id={subscriptionId} />
        )}
      </Card>
    </>
  );
}

function LatestEvents({ data: { events, names } }: { data: Overview }) {
  const columns: Column<Event>[] = [
    { name: "Event", show: ({ id, type }) => <a href={to("events", id)}>{eventWords(type)}</a>, text: ({ type }) => type },
    { name: "Record", show: ({ record_id }) => <code>{record_id}</code>, text: ({ record_id }) => record_id },
    { name: "By", show: (event) => <By event={event} names={names} />, text: ({ operator_id, client_id }) => operator_id ?? client_id },
    { name: "Time", show: ({ timestamp }) => <Moment at={timestamp} />, text: ({ timestamp }) => timestamp },
  ];
  return (
    <Card title="Latest events">
      {events.length === 0 ? <p class="faint">Every change of a record appears here.</p> : <Table name="Latest events" columns={columns} rows={events} id={recordId} />}
    </Card>
  );
}
