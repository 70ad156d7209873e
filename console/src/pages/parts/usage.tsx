// The usage of a subscription: what each meter counted in a span of time.

import { useState } from "preact/hooks";
import { caller, type SubscriptionUsage } from "../../lib/api.js";
import { useLoad } from "../../lib/load.js";
import { to } from "../../lib/router.js";
import { fromInput, moment, toInput } from "../../lib/time.js";
import { Problem } from "../../parts/problem.js";
import { Table, type Column } from "../../parts/table.js";
import { AGGREGATIONS } from "./meter-fields.js";

type Row = SubscriptionUsage["meters"][number];

const COLUMNS: readonly Column<Row>[] = [
  {
    name: "Meter",
    show: ({ meter_id, slug }) => (
      <a href={to("meters", meter_id)}>
        <code>{slug}</code>
      </a>
    ),
    text: ({ slug }) => slug,
  },
  { name: "Aggregation", show: ({ aggregation }) => AGGREGATIONS[aggregation], text: ({ aggregation }) => aggregation },
  { name: "Quantity", isNumber: true, show: ({ quantity }) => quantity.toLocaleString("en-US", { maximumFractionDigits: 6 }), text: ({ quantity }) => quantity },
];

const read = { id: "readSubscriptionUsage", method: "GET", path: "/subscriptions/{id}/usage", access: "client", keyed: false, repeatable: true } as const;

/** Without a span: from the start of the period until now. */
export function Usage({ id, version }: { id: string; version: string }) {
  const [span, setSpan] = useState<{ from?: string | undefined; to?: string | undefined }>({});
  const load = () => caller.one<SubscriptionUsage>(read, { path: { id }, query: span }, {});
  const { data, error, reload } = useLoad(JSON.stringify([id, version, span]), load);
  const set = (name: "from" | "to") => (event: { currentTarget: HTMLInputElement }): void => setSpan({ ...span, [name]: fromInput(event.currentTarget.value) ?? undefined });
  return (
    <>
      <div class="filters" role="group" aria-label="Time">
        <Time id="usage-from" label="From (UTC)" value={span.from ?? data?.from} change={set("from")} />
        <Time id="usage-to" label="Until (UTC)" value={span.to} change={set("to")} />
        {(span.from ?? span.to) !== undefined && (
          <button type="button" onClick={() => setSpan({})}>
            Current period
          </button>
        )}
      </div>
      {error !== undefined && <Problem error={error} retry={reload} />}
      {data !== undefined && error === undefined && (
        <>
          <p class="faint">
            From {moment(data.from)} until {moment(data.to)}.
          </p>
          {data.meters.length === 0 ? <p class="faint">There is no active meter, and nothing was counted.</p> : <Table name="Usage" columns={COLUMNS} rows={data.meters} id={({ meter_id }) => meter_id} />}
        </>
      )}
    </>
  );
}

function Time({ id, label, value, change }: { id: string; label: string; value: string | undefined; change: (event: { currentTarget: HTMLInputElement }) => void }) {
  return (
    <div class="filter">
      <label for={id}>{label}</label>
      <input id={id} type="datetime-local" step={1} value={toInput(value ?? null)} onChange={change} />
    </div>
  );
}
