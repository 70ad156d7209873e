// The list of plans.

import { useState } from "preact/hooks";
import { api, type PageOf, type Plan, type PlanQuery } from "../lib/api.js";
import { allPlans } from "../lib/names.js";
import { count, money } from "../lib/money.js";
import { go, to } from "../lib/router.js";
import { can, currentSession } from "../lib/session.js";
import { CYCLES } from "../lib/statuses.js";
import { words } from "../lib/words.js";
import { Day, Status } from "../parts/basics.js";
import { choices, type Field } from "../parts/fields.js";
import type { Filter } from "../parts/filters.js";
import { RecordForm } from "../parts/form.js";
import { ListPage, type ListQuery } from "../parts/list.js";
import { recordId } from "../parts/rows.js";
import type { Column } from "../parts/table.js";
import { figuresOf, planFigures } from "./parts/plan-figures.js";
import { Catalog } from "./parts/sections.js";

type Row = Plan & { figures: ReturnType<typeof figuresOf> };

const COLUMNS: readonly Column<Row>[] = [
  { name: "Name", sort: "name", show: ({ slug, name }) => <a href={to("plans", slug)}>{name}</a>, text: ({ name }) => name },
  { name: "Slug", show: ({ slug }) => <code>{slug}</code>, text: ({ slug }) => slug },
  { name: "Price", sort: "price", isNumber: true, show: ({ price, currency }) => money(price, currency), text: ({ price, currency }) => `${price} ${currency}` },
  { name: "Billing cycle", show: ({ billing_cycle }) => words(billing_cycle), text: ({ billing_cycle }) => billing_cycle },
  { name: "Version", isNumber: true, show: ({ version }) => version, text: ({ version }) => version },
  { name: "Subscribers", isNumber: true, show: ({ figures }) => (figures === undefined ? "—" : count(figures.subscriptions)), text: ({ figures }) => figures?.subscriptions },
  { name: "MRR", isNumber: true, show: ({ figures, currency }) => (figures === undefined ? "—" : money(figures.mrr, currency)), text: ({ figures }) => figures?.mrr },
  { name: "State", show: ({ is_active }) => <Status value={is_active ? "active" : "retired"} />, text: ({ is_active }) => (is_active ? "active" : "retired") },
  { name: "Created", sort: "created_at", show: ({ created_at }) => <Day at={created_at} />, text: ({ created_at }) => created_at },
];

const FILTERS: readonly Filter[] = [
  { name: "is_active", label: "State", kind: "select", options: [["true", "Active"], ["false", "Retired"]] },
  { name: "billing_cycle", label: "Billing cycle", kind: "select", options: choices(CYCLES) },
];

async function load(query: ListQuery): Promise<PageOf<Row>> {
  const { data, page } = await api.plans.list(query as unknown as PlanQuery);
  const known = await planFigures(data.map(({ currency }) => currency));
  return { data: data.map((plan) => ({ ...plan, figures: figuresOf(known, plan.id) })), page };
}

export default function Plans() {
  const [isOpen, setOpen] = useState(false);
  const add = can("plans:write") && (
    <button type="button" class="primary" onClick={() => setOpen(true)}>
      New plan
    </button>
  );
  return (
    <>
      <Catalog current="plans" />
      <ListPage
        name="Plans"
        subtitle="By tier"
        columns={COLUMNS}
        filters={FILTERS}
        id={recordId}
        load={load}
        actions={add}
        empty={
          <>
            <p>Plans that your customers can subscribe to appear here.</p>
            {add}
          </>
        }
      />
      {isOpen && <NewPlan close={() => setOpen(false)} />}
    </>
  );
}

function NewPlan({ close }: { close: () => void }) {
  const fields: Field[] = [
    { name: "name", label: "Name" },
    { name: "slug", label: "Slug", hint: "The plan's name in paths. It cannot be changed." },
    { name: "price", label: "Price", kind: "number" },
    { name: "currency", label: "Currency" },
    { name: "billing_cycle", label: "Billing cycle", kind: "select", options: choices(CYCLES) },
    { name: "description", label: "Description", kind: "area" },
  ];
  const currency = currentSession()?.organization.currency ?? "USD";
  return (
    <RecordForm
      title="New plan"
      fields={fields}
      values={{ name: "", slug: "", price: "", currency, billing_cycle: "monthly", description: "" }}
      submit="Create plan"
      done="Plan created"
      save={(body, { idempotencyKey }) => api.plans.create(body as never, { idempotencyKey })}
      close={close}
      saved={(plan) => {
        allPlans.clear();
        go(to("plans", (plan as Plan).slug));
      }}
    />
  );
}
