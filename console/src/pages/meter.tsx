// One meter: its name and unit can change, and whether it accepts events.

import type { Meter } from "../lib/api.js";
import { orNull, type Field, type Values } from "../parts/fields.js";
import { AGGREGATIONS } from "./parts/meter-fields.js";
import { meters } from "./parts/resources.js";
import { SwitchablePage } from "./parts/switchable.js";

const FIELDS: readonly Field[] = [
  { name: "name", label: "Name" },
  { name: "unit", label: "Unit", hint: "What is counted, such as call or GB.", send: orNull },
];

const valuesOf = ({ name, unit }: Meter): Values => ({ name, unit: unit ?? "" });

export default function MeterPage({ id }: { id: string }) {
  return (
    <SwitchablePage
      id={id}
      list={["meters", "Meters"]}
      noun="meter"
      path="/meters"
      resource={meters}
      name={({ name }) => name}
      terms={({ slug, aggregation, unit }) => [
        ["Slug", <code>{slug}</code>],
        ["Aggregation", AGGREGATIONS[aggregation]],
        ["Unit", <span dir="auto">{unit ?? "—"}</span>],
      ]}
      consequence="It accepts no events until you activate it. A meter that a plan or a feature uses cannot be deactivated."
      form={{ fields: () => FIELDS, values: valuesOf }}
    />
  );
}
