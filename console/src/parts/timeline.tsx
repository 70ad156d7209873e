// What happened to a record: the change, before and after, by whom, when, and in which request.

import type { Event } from "../lib/api.js";
import { differences } from "../lib/differences.js";
import { newestEvents } from "../lib/events.js";
import { useLoad } from "../lib/load.js";
import { callerNames } from "../lib/names.js";
import { can } from "../lib/session.js";
import { to } from "../lib/router.js";
import { eventWords, plain, words } from "../lib/words.js";
import { Card, Moment } from "./basics.js";
import { Problem } from "./problem.js";

interface TimelineProps {
  id: string;
  /** Changes when there may be a new event. */
  version: string;
  /** How a value of a field is shown, where the stored one is not readable. */
  show?: ((field: string, value: unknown) => string | undefined) | undefined;
}

export function Timeline({ id, version, show }: TimelineProps) {
  const read = async (): Promise<{ events: Event[]; names: Map<string, string> }> => {
    const [{ data }, names] = await Promise.all([newestEvents({ record_id: id, limit: 100 }), callerNames()]);
    return { events: data, names };
  };
  const { data, error, reload } = useLoad(can("events:read") ? `${id} ${version}` : null, read);
  return (
    <Card title="Timeline" className="side">
      {error !== undefined && <Problem error={error} retry={reload} />}
      <ol class="timeline" aria-label="Timeline">
        {data?.events.map((event) => (
          <li key={event.id}>
            <Entry event={event} names={data.names} show={show} />
          </li>
        ))}
      </ol>
      {data?.events.length === 0 && <p>No events are stored for this record.</p>}
    </Card>
  );
}

function Entry({ event, names, show }: { event: Event; names: Map<string, string>; show: TimelineProps["show"] }) {
  const kind = event.type.split(".")[0];
  const value = (field: string, stored: unknown): string => show?.(field, stored) ?? (/(^status|_action)$/.test(field) ? words(plain(stored)) : plain(stored));
  return (
    <>
      <p>
        <a href={to("events", event.id)}>
          <strong>{eventWords(event.type, kind)}</strong>
        </a>{" "}
        by <By event={event} names={names} />
      </p>
      <p class="faint">
        <Moment at={event.timestamp} />
      </p>
      {differences(event).map(({ field, before, after }) => (
        <p key={field} class="difference" dir="auto">
          <span class="faint">{words(field)}</span> <del>{value(field, before)}</del> → <ins>{value(field, after)}</ins>
        </p>
      ))}
      {event.request_id !== null && (
        <p class="faint">
          Request <code>{event.request_id}</code>
        </p>
      )}
    </>
  );
}

/** The operator or the client that caused an event. */
export function By({ event, names }: { event: Pick<Event, "operator_id" | "client_id">; names: Map<string, string> }) {
  const id = event.operator_id ?? event.client_id;
  if (id === null) {
    return <>the system</>;
  }
  return <span title={id} dir="auto">{names.get(id) ?? id}</span>;
}
