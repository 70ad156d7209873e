// What was sent to a webhook endpoint, and what was not delivered yet.

import type { UndeliveredEvent, WebhookAttempt } from "../../lib/api.js";
import { count } from "../../lib/money.js";
import { to } from "../../lib/router.js";
import { words } from "../../lib/words.js";
import { Moment, Status } from "../../parts/basics.js";
import { PagedPanel, recordId } from "../../parts/rows.js";
import type { Column } from "../../parts/table.js";
import { webhookEndpoints } from "./resources.js";

interface DeliveriesProps {
  id: string;
  /** Changes when the rows must be read again. */
  version: string;
  /** Sends an event again. Undefined while the endpoint is disabled. */
  resend: ((eventId: string) => void) | undefined;
}

function EventLink({ id, type, isSample }: { id: string; type: string; isSample: boolean }) {
  return isSample ? <>{type}</> : <a href={to("events", id)}>{type}</a>;
}

function Resend({ act }: { act: () => void }) {
  return (
    <button type="button" onClick={act}>
      Resend
    </button>
  );
}

/** A status of HTTP, or why there is none. */
const result = (status: number | null, error: string | null): string => (status === null ? words(error ?? "") || "—" : String(status));

export function Attempts({ id, version, resend }: DeliveriesProps) {
  const columns: Column<WebhookAttempt>[] = [
    {
      name: "Event",
      show: ({ event_id, event_type, trigger }) => <EventLink id={event_id} type={event_type} isSample={trigger === "ping"} />,
      text: ({ event_id }) => event_id,
    },
    { name: "Outcome", show: ({ outcome }) => <Status value={outcome} />, text: ({ outcome }) => outcome },
    { name: "Result", show: ({ status, error }) => result(status, error), text: ({ status, error }) => status ?? error },
    { name: "Trigger", show: ({ trigger, number }) => `${words(trigger)}, attempt ${number}`, text: ({ trigger }) => trigger },
    { name: "Duration", isNumber: true, show: ({ duration_ms }) => `${count(duration_ms)} ms`, text: ({ duration_ms }) => duration_ms },
    { name: "Time", show: ({ created_at }) => <Moment at={created_at} />, text: ({ created_at }) => created_at },
    { name: "Response", show: ({ response }) => <span title={response}>{response || "—"}</span>, text: ({ response }) => response },
  ];
  if (resend !== undefined) {
    columns.splice(4, 0, {
      name: "Action",
      text: () => "",
      show: ({ event_id, trigger }) => (trigger === "ping" ? "—" : <Resend act={() => resend(event_id)} />),
    });
  }
  return (
    <PagedPanel
      name="Attempts"
      version={`${id} ${version}`}
      load={(cursor) => webhookEndpoints.listAttempts(id, { limit: 25, cursor })}
      columns={columns}
      id={recordId}
      empty="Nothing was sent yet. Send a test event to try the endpoint."
    />
  );
}

export function Undelivered({ id, version, resend }: DeliveriesProps) {
  const columns: Column<UndeliveredEvent>[] = [
    { name: "Event", show: ({ event_id, event_type }) => <EventLink id={event_id} type={event_type} isSample={false} />, text: ({ event_id }) => event_id },
    { name: "State", show: ({ state }) => <Status value={state} />, text: ({ state }) => state },
    { name: "Attempts", isNumber: true, show: ({ attempts }) => count(attempts), text: ({ attempts }) => attempts },
    { name: "Last result", show: ({ last_status, last_error }) => result(last_status, last_error), text: ({ last_status, last_error }) => last_status ?? last_error },
    { name: "Next attempt", show: ({ next_attempt_at }) => <Moment at={next_attempt_at} />, text: ({ next_attempt_at }) => next_attempt_at },
    { name: "First failed", show: ({ first_failed_at }) => <Moment at={first_failed_at} />, text: ({ first_failed_at }) => first_failed_at },
    { name: "Record", show: ({ record_id }) => <code>{record_id}</code>, text: ({ record_id }) => record_id },
  ];
  if (resend !== undefined) {
    columns.splice(4, 0, { name: "Action", text: () => "", show: ({ event_id }) => <Resend act={() => resend(event_id)} /> });
  }
  return (
    <PagedPanel
      name="Undelivered"
      version={`${id} ${version}`}
      load={(cursor) => webhookEndpoints.listUndelivered(id, { limit: 25, cursor })}
      columns={columns}
      id={({ event_id }) => event_id}
      empty="Every event was delivered."
    />
  );
}
