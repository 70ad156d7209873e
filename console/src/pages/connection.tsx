// One connection: what was received from the provider, and where records differed.

import type { ComponentChildren } from "preact";
import { answerOf, type Event } from "../lib/api.js";
import { newestEvents } from "../lib/events.js";
import { useLoad } from "../lib/load.js";
import { count } from "../lib/money.js";
import { to } from "../lib/router.js";
import { can } from "../lib/session.js";
import { pageOf, plain, words } from "../lib/words.js";
import { Card, Command, Moment, Status, type Term } from "../parts/basics.js";
import { RecordPage, RecordPending } from "../parts/record.js";
import { PagedPanel, TablePanel } from "../parts/rows.js";
import type { Column } from "../parts/table.js";
import { connections, providerName, type Connection, type InboxItem } from "./parts/connections.js";

const LIST = ["connections", "Connections"] as const;

export default function ConnectionPage({ id }: { id: string }) {
  const { data: connection, error, reload } = useLoad(id, () => connections.get(id));
  if (connection === undefined) {
    return <RecordPending list={LIST} id={id} error={error} reload={reload} />;
  }
  const tabs: [string, () => ComponentChildren][] = [["Inbox", () => <Inbox id={id} />]];
  if (can("events:read")) {
    tabs.push(["Drift", () => <Drift id={id} />]);
  }
  return (
    <RecordPage
      list={LIST}
      id={id}
      name={connection.name}
      badge={<Status value={connection.state} />}
      actions={
        <button type="button" onClick={reload}>
          Refresh
        </button>
      }
      scope="organization:read"
      terms={termsOf(connection)}
      tabs={tabs}
      json={connection}
      path={`/connections/${id}`}
      version={answerOf(connection)?.etag ?? ""}
    >
      <Card title="Commands">
        <p>Compare all objects of the provider with the records here. Add --dry-run to change nothing:</p>
        <Command text={`perennial connection reconcile ${id}`} />
        <p>Apply failed events again:</p>
        <Command text={`perennial connection retry ${id}`} />
      </Card>
    </RecordPage>
  );
}

function termsOf(connection: Connection): Term[] {
  return [
    ["Kind", providerName(connection.kind)],
    ["Mode", words(connection.mode)],
    ["Account", <code>{connection.account ?? "—"}</code>],
    ["Webhook URL", <code>{location.origin + connection.webhook_path}</code>],
    ["API", <code>{connection.base_url}</code>],
    ["Differences", connection.drift === "repair" ? "Are repaired and reported" : "Are reported only"],
    ["Collects payments", connection.collect ? "Yes" : "No"],
    ["Requests per minute", count(connection.requests_per_minute)],
    ["Last received", <Moment at={connection.last_received_at} />],
    ["Last sweep", <Moment at={connection.last_swept_at} />],
    ["Created", <Moment at={connection.created_at} />],
  ];
}

const INBOX: readonly Column<InboxItem>[] = [
  { name: "Type", show: ({ type }) => type ?? "—", text: ({ type }) => type },
  { name: "State", show: ({ state }) => <Status value={state} />, text: ({ state }) => state },
  { name: "Code", show: ({ code }) => (code === null ? "—" : <code>{code}</code>), text: ({ code }) => code },
  { name: "Object", show: ({ object, object_id }) => (object === null ? "—" : <>{words(object)} <code>{object_id}</code></>), text: ({ object_id }) => object_id },
  { name: "Attempts", isNumber: true, show: ({ attempts }) => count(attempts), text: ({ attempts }) => attempts },
  { name: "Next attempt", show: ({ next_attempt_at }) => <Moment at={next_attempt_at} />, text: ({ next_attempt_at }) => next_attempt_at },
  { name: "Received", show: ({ received_at }) => <Moment at={received_at} />, text: ({ received_at }) => received_at },
  { name: "Key", show: ({ key }) => <code>{key}</code>, text: ({ key }) => key },
];

function Inbox({ id }: { id: string }) {
  return (
    <PagedPanel
      name="Inbox"
      version={id}
      load={(cursor) => connections.inbox(id, { limit: 25, cursor })}
      columns={INBOX}
      id={({ key }) => key}
      empty="Nothing was received yet. Enter the webhook URL at the provider."
    />
  );
}

/** A field that differed, or an object that is missing at the provider. */
interface Difference {
  id: string;
  event: Event;
  object: string;
  record: string | null;
  field: string;
  ours: unknown;
  theirs: unknown;
  repaired: boolean;
}

interface DriftData {
  object?: string;
  external_id?: string;
  record_id?: string | null;
  fields?: Record<string, { ours: unknown; theirs: unknown }>;
  missing?: boolean;
  repaired?: boolean;
  stopped?: boolean;
}

function differencesOf(event: Event): Difference[] {
  const { object = "", external_id = "", record_id = null, fields = {}, missing = false, repaired = false, stopped = false } = (event.data ?? {}) as DriftData;
  const common = { event, object: [words(object), external_id].filter(Boolean).join(" "), record: record_id, repaired };
  const rows = Object.entries(fields).map(([field, { ours, theirs }]): Difference => ({ ...common, id: `${event.id} ${field}`, field, ours, theirs }));
  if (missing || stopped || rows.length === 0) {
    rows.unshift({ ...common, id: event.id, field: stopped ? "stopped: too many would lose access" : missing ? "missing at the provider" : "", ours: null, theirs: null });
  }
  return rows;
}

const DRIFT: readonly Column<Difference>[] = [
  { name: "Object", show: ({ event, object }) => <a href={to("events", event.id)}>{object || "Sweep"}</a>, text: ({ object }) => object },
  { name: "Record", show: ({ record }) => <Record id={record} />, text: ({ record }) => record },
  { name: "Field", show: ({ field }) => words(field), text: ({ field }) => field },
  { name: "Ours", show: ({ ours }) => plain(ours), text: ({ ours }) => plain(ours) },
  { name: "Theirs", show: ({ theirs }) => plain(theirs), text: ({ theirs }) => plain(theirs) },
  { name: "Repaired", show: ({ repaired }) => (repaired ? "Yes" : "No"), text: ({ repaired }) => repaired },
  { name: "Time", show: ({ event }) => <Moment at={event.timestamp} />, text: ({ event }) => event.timestamp },
];

function Record({ id }: { id: string | null }) {
  const page = id === null ? undefined : pageOf(id);
  return id === null || page === undefined ? (
    <>{id ?? "—"}</>
  ) : (
    <a href={to(page, id)}>
      <code>{id}</code>
    </a>
  );
}

function Drift({ id }: { id: string }) {
  const load = async () => (await newestEvents({ record_id: id, type: "connection.drift", limit: 100 })).data.flatMap(differencesOf);
  return <TablePanel name="Drift" version={id} load={load} columns={DRIFT} id={(row) => row.id} empty="Every record equals its object at the provider." />;
}
