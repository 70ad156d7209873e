// The list of meters.

import type { Meter, MeterAggregation } from "../lib/api.js";
import { to } from "../lib/router.js";
import { Day } from "../parts/basics.js";
import { orNull, type Field } from "../parts/fields.js";
import type { Column } from "../parts/table.js";
import { AGGREGATIONS } from "./parts/meter-fields.js";
import { NewRecordList, stateColumn } from "./parts/new-record.js";
import { meters } from "./parts/resources.js";
import { Catalog } from "./parts/sections.js";

const COLUMNS: readonly Column<Meter>[] = [
  { name: "Name", show: ({ id, name }) => <a href={to("meters", id)}>{name}</a>, text: ({ name }) => name },
  { name: "Slug", show: ({ slug }) => <code>{slug}</code>, text: ({ slug }) => slug },
  { name: "Aggregation", show: ({ aggregation }) => AGGREGATIONS[aggregation], text: ({ aggregation }) => aggregation },
  { name: "Unit", show: ({ unit }) => unit ?? "—", text: ({ unit }) => unit },
  stateColumn,
  { name: "Created", show: ({ created_at }) => <Day at={created_at} />, text: ({ created_at }) => created_at },
];

const FIELDS: readonly Field[] = [
  { name: "name", label: "Name" },
  { name: "slug", label: "Slug", hint: "The meter's name in usage events. It cannot be changed." },
  {
    name: "aggregation",
    label: "Aggregation",
    kind: "select",
    options: (Object.keys(AGGREGATIONS) as MeterAggregation[]).map((name) => [name, AGGREGATIONS[name]]),
    hint: "How events become one quantity. It cannot be changed.",
  },
  { name: "unit", label: "Unit", hint: "Optional: what is counted, such as call or GB.", send: orNull },
];

export default function Meters() {
  return (
    <>
      <Catalog current="meters" />
      <NewRecordList
        name="Meters"
        page="meters"
        noun="meter"
        columns={COLUMNS}
        load={(query) => meters.list(query)}
        fields={FIELDS}
        values={{ name: "", slug: "", aggregation: "sum", unit: "" }}
        create={(body, options) => meters.create(body as never, options)}
        empty="Meters that count the usage of your customers appear here. Charges of plans price what they count."
      />
    </>
  );
}
