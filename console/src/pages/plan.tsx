// One plan: its versions, and editing, retiring and deleting it.

import { useState } from "preact/hooks";
import { answerOf, api, guarded, PerennialProblem, type Plan, type PlanVersion } from "../lib/api.js";
import { useLoad } from "../lib/load.js";
import { allPlans } from "../lib/names.js";
import { count, money } from "../lib/money.js";
import { go, to } from "../lib/router.js";
import { announce } from "../lib/session.js";
import { CYCLES } from "../lib/statuses.js";
import { words } from "../lib/words.js";
import { Day, Moment, Status, type Term } from "../parts/basics.js";
import { Confirm } from "../parts/confirm.js";
import { choices, type Field, type Values } from "../parts/fields.js";
import { RecordForm } from "../parts/form.js";
import { Problem } from "../parts/problem.js";
import { RecordPage, RecordPending } from "../parts/record.js";
import { TablePanel } from "../parts/rows.js";
import type { Column } from "../parts/table.js";
import { GrantsCard } from "./parts/grants.js";
import { PlanBilling } from "./parts/plan-billing.js";
import { figuresOf, planFigures } from "./parts/plan-figures.js";

const LIST = ["plans", "Plans"] as const;
const COUNTED = 200;

const VERSIONS: readonly Column<PlanVersion>[] = [
  { name: "Version", show: ({ version }) => version, text: ({ version }) => version },
  { name: "Price", isNumber: true, show: ({ price, currency }) => money(price, currency), text: ({ price }) => price },
  { name: "Billing cycle", show: ({ billing_cycle }) => words(billing_cycle), text: ({ billing_cycle }) => billing_cycle },
  { name: "Since", show: ({ created_at }) => <Day at={created_at} />, text: ({ created_at }) => created_at },
];

/** How many subscriptions a plan has, as far as one call counts. */
async function subscribers(plan: Plan): Promise<string> {
  const { data, page } = await api.subscriptions.list({ subscription_plan_id: plan.id, limit: COUNTED });
  return page.has_more ? `more than ${COUNTED}` : count(data.length);
}

export default function PlanPage({ id: slug }: { id: string }) {
  const { data, error, reload } = useLoad(slug, async () => {
    const plan = await api.plans.get(slug);
    const [inUse, known] = await Promise.all([subscribers(plan), planFigures([plan.currency])]);
    return { plan, inUse, mrr: figuresOf(known, plan.id)?.mrr };
  });
  const [dialog, setDialog] = useState("");
  const [failure, setFailure] = useState<unknown>();
  if (data === undefined) {
    return <RecordPending list={LIST} id={slug} error={error} reload={reload} />;
  }
  const { plan, inUse, mrr } = data;
  const saved = (): void => {
    allPlans.clear();
    setDialog("");
    setFailure(undefined);
    reload();
  };
  const retire = async (): Promise<void> => {
    try {
      await guarded(() => api.plans.update(plan.slug, { is_active: !plan.is_active }, { ifMatch: plan }));
      announce(plan.is_active ? "Plan retired" : "Plan active");
      saved();
    } catch (problem) {
      setFailure(problem);
    }
  };
  const actions = (
    <>
      <button type="button" data-key="e" onClick={() => setDialog("edit")}>
        Edit
      </button>
      <button type="button" onClick={() => void retire()}>
        {plan.is_active ? "Retire" : "Activate"}
      </button>
      <button type="button" class="danger" onClick={() => setDialog("delete")}>
        Delete
      </button>
    </>
  );
  const terms: Term[] = [
    ["Slug", <code>{plan.slug}</code>],
    ["Price", `${money(plan.price, plan.currency)} ${words(plan.billing_cycle).toLowerCase()}`],
    ["Version", plan.version],
    ["Subscriptions", <a href={`${to("subscriptions")}?subscription_plan_id=${encodeURIComponent(plan.slug)}`}>{inUse}</a>],
    ["MRR", mrr === undefined ? "—" : money(mrr, plan.currency)],
    ["Description", <span dir="auto">{plan.description || "—"}</span>],
    ["Features", <span dir="auto">{plan.features || "—"}</span>],
    ["Nodes", count(plan.node_quota)],
    ["Tier", plan.tier],
    ["Created", <Moment at={plan.created_at} />],
  ];
  const revision = answerOf(plan)?.etag ?? "";
  const versions = () => (
    <TablePanel
      name="Versions"
      version={slug + revision}
      load={async () => (await api.planVersions.list(plan.slug)).data}
      columns={VERSIONS}
      id={({ version }) => String(version)}
      empty="No versions."
    />
  );
  return (
    <>
      {failure !== undefined && <Problem error={failure} retry={saved} />}
      <RecordPage
        list={LIST}
        id={plan.id}
        name={plan.name}
        badge={<Status value={plan.is_active ? "active" : "retired"} />}
        actions={actions}
        scope="plans:write"
        terms={terms}
        tabs={[["Versions", versions]]}
        json={plan}
        path={`/subscription-plans/${plan.slug}`}
        version={revision}
      >
        <PlanBilling plan={plan} inUse={inUse} saved={saved} />
        <GrantsCard record={plan} scope="plans:write" read={() => api.plans.get(plan.slug)} update={(body, options) => api.plans.update(plan.slug, body, options)} saved={saved} />
      </RecordPage>
      {dialog === "edit" && <EditPlan plan={plan} inUse={inUse} close={() => setDialog("")} saved={saved} />}
      {dialog === "delete" && <DeletePlan plan={plan} inUse={inUse} close={() => setDialog("")} />}
    </>
  );
}

function valuesOf(plan: Plan): Values {
  return {
    price: String(plan.price),
    billing_cycle: plan.billing_cycle,
    description: plan.description,
    features: plan.features,
    node_quota: String(plan.node_quota),
    tier: String(plan.tier),
    most_popular: plan.most_popular,
  };
}

function EditPlan({ plan, inUse, close, saved }: { plan: Plan; inUse: string; close: () => void; saved: () => void }) {
  const text = (value: unknown): unknown => value;
  const fields: Field[] = [
    { name: "price", label: "Price", kind: "number" },
    { name: "billing_cycle", label: "Billing cycle", kind: "select", options: choices(CYCLES) },
    { name: "description", label: "Description", kind: "area", send: text },
    { name: "features", label: "Features", kind: "area", send: text },
    { name: "node_quota", label: "Nodes", kind: "number" },
    { name: "tier", label: "Tier", kind: "number" },
    { name: "most_popular", label: "Most popular", kind: "check" },
  ];
  const note = (values: Values) => {
    const isNew = Number(values["price"]) !== plan.price || values["billing_cycle"] !== plan.billing_cycle;
    return isNew ? (
      <p>
        This makes version {plan.version + 1}. Subscriptions that stay on the old version: {inUse}.
      </p>
    ) : null;
  };
  return (
    <RecordForm
      title="Edit plan"
      fields={fields}
      values={valuesOf(plan)}
      submit="Save changes"
      done="Plan changed"
      note={note}
      existing={{ record: plan, read: () => api.plans.get(plan.slug), values: valuesOf }}
      save={(body, { base }) => api.plans.update(plan.slug, body, { ifMatch: base })}
      close={close}
      saved={saved}
    />
  );
}

function DeletePlan({ plan, inUse, close }: { plan: Plan; inUse: string; close: () => void }) {
  const act = async (): Promise<unknown> => {
    try {
      return await api.plans.delete(plan.slug, { ifMatch: plan });
    } catch (failure) {
      if (failure instanceof PerennialProblem && failure.code === "plan_in_use") {
        const detail = `The plan is in use by ${count(failure.problem.subscriptions ?? 0)} subscriptions. Retire it instead.`;
        throw new PerennialProblem({ ...failure.problem, detail });
      }
      throw failure;
    }
  };
  return (
    <Confirm
      title="Delete plan"
      button="Delete plan"
      keep="Keep plan"
      done="Plan deleted"
      act={act}
      close={close}
      saved={() => {
        allPlans.clear();
        go(to("plans"));
      }}
    >
      <p dir="auto">
        {plan.name} is deleted and cannot be restored. A plan in use cannot be deleted. Subscriptions: {inUse}.
      </p>
    </Confirm>
  );
}
