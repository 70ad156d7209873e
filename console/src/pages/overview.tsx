// The overview: how many records there are, what renews soon, and what happened last. Without a subscription: how to begin.

import { api, type Event, type SubscriptionQuery } from "../lib/api.js";
import { newestEvents } from "../lib/events.js";
import { useLoad } from "../lib/load.js";
import { count } from "../lib/money.js";
import { allPlans, callerNames, withNames, type SubscriptionRow } from "../lib/names.js";
import { to } from "../lib/router.js";
import { can, currentSession } from "../lib/session.js";
import { inDays, moment } from "../lib/time.js";
import { eventWords } from "../lib/words.js";
import { Card, Heading, Moment } from "../parts/basics.js";
import { Problem } from "../parts/problem.js";
import { recordId, subscriptionColumns, subscriptionId } from "../parts/rows.js";
import { Table, type Column } from "../parts/table.js";
import { By } from "../parts/timeline.js";
import { GetStarted, type Progress } from "./parts/get-started.js";

const COUNTED = 200;

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
}

async function counted(query: SubscriptionQuery): Promise<string> {
  const { data, page } = await api.subscriptions.list({ ...query, limit: COUNTED });
  return page.has_more ? `${COUNTED}+` : count(data.length);
}

async function read(): Promise<Overview> {
  const now = new Date().toISOString();
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
  const common = { at: now, events: latest.data, names, progress, isEmpty };
  if (isEmpty) {
    return { ...common, tiles: [], renewals: [] };
  }
  const soon = api.subscriptions.list({ renews_after: now, renews_before: inDays(7), status: "active,on_trial,past_due", sort: "renews_at", limit: 10 });
  const [tiles, renewals] = await Promise.all([
    Promise.all(TILES.map(async ([name, query, link]) => ({ name, figure: await counted(query), link: `${to("subscriptions")}?${link}` }))),
    soon.then(({ data }) => withNames(data)),
  ]);
  return { ...common, tiles, renewals };
}

export default function OverviewPage() {
  const { data, error, reload } = useLoad("overview", read);
  return (
    <>
      <header class="page-head">
        <div>
          <Heading>Overview</Heading>
          <p class="subtitle" dir="auto">
            {currentSession()?.organization.name}
            {data !== undefined && `, as of ${moment(data.at)}`}
          </p>
        </div>
        {data !== undefined && (
          <button type="button" onClick={reload}>
            Refresh
          </button>
        )}
      </header>
      {error !== undefined && <Problem error={error} retry={reload} />}
      {data !== undefined && (data.isEmpty ? <GetStarted progress={data.progress} /> : <Figures data={data} />)}
      {data !== undefined && <LatestEvents data={data} />}
    </>
  );
}

function Figures({ data }: { data: Overview }) {
  return (
    <>
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
