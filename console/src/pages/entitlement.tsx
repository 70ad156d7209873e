// One feature: name, description and combination can change, and whether it is active.

import { useLoad } from "../lib/load.js";
import { to } from "../lib/router.js";
import { words } from "../lib/words.js";
import { choices, type Field, type Values } from "../parts/fields.js";
import { features, type Feature } from "./parts/features.js";
import { meters } from "./parts/resources.js";
import { SwitchablePage } from "./parts/switchable.js";

const FIELDS: readonly Field[] = [
  { name: "name", label: "Name" },
  { name: "description", label: "Description", kind: "area", send: (value) => value },
];
const COMBINE: Field = { name: "combine", label: "Several subscriptions", kind: "select", options: choices(["max", "sum"]) };
const PER_UNIT: Field = { name: "per_unit", label: "Per unit of the subscription's quantity", kind: "check" };

const fieldsOf = ({ kind }: Feature): Field[] => [...FIELDS, ...(kind === "limit" ? [COMBINE] : []), ...(kind === "boolean" ? [] : [PER_UNIT])];

const valuesOf = ({ name, description, combine, per_unit }: Feature): Values => ({ name, description, combine, per_unit });

function Meter({ id }: { id: string }) {
  const { data } = useLoad(id, () => meters.get(id));
  return <a href={to("meters", id)}>{data?.name ?? id}</a>;
}

export default function EntitlementPage({ id }: { id: string }) {
  return (
    <SwitchablePage
      id={id}
      list={["entitlements", "Entitlements"]}
      noun="feature"
      path="/features"
      resource={features}
      name={({ name }) => name}
      terms={({ key, kind, combine, per_unit, meter, period, description }) => [
        ["Key", <code>{key}</code>],
        ["Kind", words(kind)],
        ["Combined as", words(combine)],
        ["Per unit", per_unit ? "Yes" : "No"],
        ["Meter", meter === null ? "—" : <Meter id={meter} />],
        ["Period", period === null ? "—" : words(period)],
        ["Description", <span dir="auto">{description || "—"}</span>],
      ]}
      consequence="No user has it until you activate it. Grants of it are stored and can be changed."
      form={{ fields: fieldsOf, values: valuesOf }}
    />
  );
}
