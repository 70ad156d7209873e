// The newest events, followed as they happen.

import { useEffect, useState } from "preact/hooks";
import type { Event, PageOf } from "../lib/api.js";
import { newestEvents } from "../lib/events.js";
import { useLoad } from "../lib/load.js";
import { callerNames } from "../lib/names.js";
import { to } from "../lib/router.js";
import { pageOf } from "../lib/words.js";
import { Moment } from "../parts/basics.js";
import type { Filter } from "../parts/filters.js";
import { ListPage, type ListQuery } from "../parts/list.js";
import { recordId } from "../parts/rows.js";
import type { Column } from "../parts/table.js";
import { By } from "../parts/timeline.js";

const FOLLOW_MS = 5_000;

const FILTERS: readonly Filter[] = [
  { name: "type", label: "Type", kind: "text" },
  { name: "record_id", label: "Record", kind: "text" },
  { name: "client_id", label: "Client", kind: "text" },
  { name: "operator_id", label: "Operator", kind: "text" },
];

async function load({ limit, cursor, sort: _, ...filters }: ListQuery): Promise<PageOf<Event>> {
  const { data, next } = await newestEvents({ ...filters, limit, cursor });
  return { data, page: { next_cursor: next, has_more: next !== null, limit } };
}

export default function Events() {
  const [isFollowing, setFollowing] = useState(false);
  const [version, setVersion] = useState(0);
  const { data: names = new Map<string, string>() } = useLoad("names", callerNames);
  useEffect(() => {
    if (!isFollowing) {
      return undefined;
    }
    const timer = setInterval(() => setVersion((before) => before + 1), FOLLOW_MS);
    return () => clearInterval(timer);
  }, [isFollowing]);
  const columns: Column<Event>[] = [
    { name: "Type", show: ({ id, type }) => <a href={to("events", id)}>{type}</a>, text: ({ type }) => type },
    { name: "Record", show: ({ record_id }) => <RecordLink id={record_id} />, text: ({ record_id }) => record_id },
    { name: "By", show: (event) => <By event={event} names={names} />, text: ({ operator_id, client_id }) => operator_id ?? client_id },
    { name: "Time", show: ({ timestamp }) => <Moment at={timestamp} />, text: ({ timestamp }) => timestamp },
    { name: "Request ID", show: ({ request_id }) => <code>{request_id ?? "—"}</code>, text: ({ request_id }) => request_id },
  ];
  return (
    <ListPage
      name="Events"
      columns={columns}
      filters={FILTERS}
      id={recordId}
      load={load}
      version={version}
      actions={
        <button type="button" aria-pressed={isFollowing} class={isFollowing ? "primary" : ""} onClick={() => setFollowing(!isFollowing)}>
          Follow
        </button>
      }
      empty={<p>Every change of a record appears here.</p>}
    />
  );
}

function RecordLink({ id }: { id: string }) {
  const page = pageOf(id);
  return page === undefined ? (
    <code>{id}</code>
  ) : (
    <a href={to(page, id)}>
      <code>{id}</code>
    </a>
  );
}
