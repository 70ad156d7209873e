// One event: what changed, by whom, and the record before and after.

import { api } from "../lib/api.js";
import { differences } from "../lib/differences.js";
import { useLoad } from "../lib/load.js";
import { callerNames } from "../lib/names.js";
import { to } from "../lib/router.js";
import { pageOf, plain, words } from "../lib/words.js";
import { Card, Moment, type Term } from "../parts/basics.js";
import { RecordPage, RecordPending } from "../parts/record.js";
import { By } from "../parts/timeline.js";

const LIST = ["events", "Events"] as const;

export default function EventPage({ id }: { id: string }) {
  const { data, error, reload } = useLoad(id, async () => {
    const [event, names] = await Promise.all([api.feed.get(id), callerNames()]);
    return { event, names };
  });
  if (data === undefined) {
    return <RecordPending list={LIST} id={id} error={error} reload={reload} />;
  }
  const { event, names } = data;
  const page = pageOf(event.record_id);
  const terms: Term[] = [
    ["Type", event.type],
    ["Record", page === undefined ? <code>{event.record_id}</code> : <a href={to(page, event.record_id)}>{event.record_id}</a>],
    ["By", <By event={event} names={names} />],
    ["Time", <Moment at={event.timestamp} />],
    ["Request ID", <code>{event.request_id ?? "—"}</code>],
    ["Position", event.sequence],
  ];
  const changed = differences(event);
  return (
    <RecordPage
      list={LIST}
      id={id}
      name={event.type}
      scope="events:read"
      terms={terms}
      json={event}
      path={`/events/${id}`}
      version={id}
      timelineOf={event.record_id}
    >
      {changed.length > 0 && (
        <Card title="Changes">
          {changed.map(({ field, before, after }) => (
            <p key={field} class="difference" dir="auto">
              <span class="faint">{words(field)}</span> <del>{plain(before)}</del> → <ins>{plain(after)}</ins>
            </p>
          ))}
        </Card>
      )}
    </RecordPage>
  );
}
