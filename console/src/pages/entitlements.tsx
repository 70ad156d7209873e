// Features, and which plan grants what of them.

import { useState } from "preact/hooks";
import type { Plan } from "../lib/api.js";
import { useLoad } from "../lib/load.js";
import { allPlans } from "../lib/names.js";
import { go, to } from "../lib/router.js";
import { can } from "../lib/session.js";
import { planLabel, words } from "../lib/words.js";
import { Card } from "../parts/basics.js";
import { choices, type Field } from "../parts/fields.js";
import type { Filter } from "../parts/filters.js";
import { RecordForm } from "../parts/form.js";
import { ListPage } from "../parts/list.js";
import { Problem } from "../parts/problem.js";
import { recordId } from "../parts/rows.js";
import { Table, type Column } from "../parts/table.js";
import { allFeatures, features, grantsOf, grantWords, type Feature } from "./parts/features.js";
import { stateColumn } from "./parts/new-record.js";
import { meters } from "./parts/resources.js";

const COLUMNS: readonly Column<Feature>[] = [
  { name: "Name", show: ({ key, name }) => <a href={to("entitlements", key)}>{name}</a>, text: ({ name }) => name },
  { name: "Key", show: ({ key }) => <code>{key}</code>, text: ({ key }) => key },
  { name: "Kind", show: ({ kind }) => words(kind), text: ({ kind }) => kind },
  { name: "Several subscriptions", show: ({ combine }) => words(combine), text: ({ combine }) => combine },
  { name: "Per unit", show: ({ per_unit }) => (per_unit ? "Yes" : "No"), text: ({ per_unit }) => per_unit },
  { name: "Period", show: ({ period }) => (period === null ? "—" : words(period)), text: ({ period }) => period },
  stateColumn,
];

const FILTERS: readonly Filter[] = [
  { name: "kind", label: "Kind", kind: "select", options: choices(["boolean", "limit", "quota"]) },
  { name: "is_active", label: "State", kind: "select", options: [["true", "Active"], ["false", "Inactive"]] },
];

export default function Entitlements() {
  const [isOpen, setOpen] = useState(false);
  const add = can("plans:write") && (
    <button type="button" class="primary" onClick={() => setOpen(true)}>
      New feature
    </button>
  );
  return (
    <>
      <ListPage
        name="Entitlements"
        subtitle="Features by key"
        columns={COLUMNS}
        filters={FILTERS}
        id={recordId}
        load={(query) => features.list(query)}
        actions={add}
        empty={
          <>
            <p>Features that your application checks appear here. Plans grant them.</p>
            {add}
          </>
        }
      />
      <PlansByFeatures />
      {isOpen && <NewFeature close={() => setOpen(false)} />}
    </>
  );
}

/** Active plans in rows, active features in columns. A plan's page changes its grants. */
function PlansByFeatures() {
  const { data, error, reload } = useLoad("grants", async () => {
    const [known, plans] = await Promise.all([allFeatures(), allPlans.get()]);
    return { known: known.filter(({ is_active }) => is_active), plans: plans.filter(({ is_active }) => is_active) };
  });
  if (error !== undefined) {
    return <Problem error={error} retry={reload} />;
  }
  if (data === undefined || data.known.length === 0 || data.plans.length === 0) {
    return null;
  }
  const columns: Column<Plan>[] = [
    { name: "Plan", show: (plan) => <a href={to("plans", plan.slug)}>{planLabel(plan)}</a>, text: planLabel },
    ...data.known.map(
      ({ key, name }): Column<Plan> => ({ name, isNumber: true, show: (plan) => grantWords(grantsOf(plan)[key]), text: (plan) => grantsOf(plan)[key] }),
    ),
  ];
  return (
    <div class="after">
      <Card title="Plans by features">
        <Table name="Plans by features" columns={columns} rows={data.plans} id={recordId} />
      </Card>
    </div>
  );
}

function NewFeature({ close }: { close: () => void }) {
  const { data: known } = useLoad("meters", async () => (await meters.list({ limit: 200 })).data);
  const countable = (known ?? []).filter(({ aggregation, is_active }) => is_active && ["sum", "count"].includes(aggregation));
  const fields: Field[] = [
    { name: "name", label: "Name" },
    { name: "key", label: "Key", hint: "What your application asks for. It cannot be changed." },
    {
      name: "kind",
      label: "Kind",
      kind: "select",
      options: [
        ["boolean", "Boolean: on or off"],
        ["limit", "Limit: a number that your application compares"],
        ["quota", "Quota: a number that usage counts against"],
      ],
      hint: "It cannot be changed.",
    },
    { name: "combine", label: "Several subscriptions", kind: "select", options: [["max", "The largest value"], ["sum", "The sum"]], when: ({ kind }) => kind === "limit" },
    { name: "per_unit", label: "Per unit of the subscription's quantity", kind: "check", when: ({ kind }) => kind !== "boolean" },
    { name: "meter", label: "Meter", kind: "select", options: [["", "Choose a meter"], ...countable.map(({ id, name }): [string, string] => [id, name])], hint: "One that sums or counts.", when: ({ kind }) => kind === "quota" },
    { name: "period", label: "Period", kind: "select", options: choices(["billing", "day", "month", "year", "ever"]), when: ({ kind }) => kind === "quota" },
    { name: "description", label: "Description", kind: "area" },
  ];
  return (
    <RecordForm
      title="New feature"
      fields={fields}
      values={{ name: "", key: "", kind: "boolean", combine: "max", per_unit: false, meter: "", period: "billing", description: "" }}
      submit="Create feature"
      done="Feature created"
      save={(body, { idempotencyKey }) => features.create(body, { idempotencyKey })}
      close={close}
      saved={(feature) => go(to("entitlements", (feature as Feature).key))}
    />
  );
}
