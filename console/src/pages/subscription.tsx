// One subscription: what it is, what can be done with it, and what happened to it.

import { useState } from "preact/hooks";
import { answerOf, api, guarded, type Plan, type Subscription, type SubscriptionUpdate } from "../lib/api.js";
import { now } from "../lib/clock.js";
import { useLoad } from "../lib/load.js";
import { allPlans, withNames } from "../lib/names.js";
import { money } from "../lib/money.js";
import { to } from "../lib/router.js";
import { announce, can } from "../lib/session.js";
import { canChangePlan, nextOfSubscription, reasonWithoutAccess } from "../lib/statuses.js";
import { words } from "../lib/words.js";
import { Moment, Status, type Term } from "../parts/basics.js";
import { Later } from "../parts/later.js";
import { Problem } from "../parts/problem.js";
import { RecordPage, RecordPending } from "../parts/record.js";
import { paymentColumns, recordId, TablePanel } from "../parts/rows.js";
import { Billing } from "./parts/billing.js";
import { grantsOf } from "./parts/features.js";
import { GrantsCard } from "./parts/grants.js";
import { InvoicesPanel } from "./parts/invoices-panel.js";
import { ManagedBy, managedBy } from "./parts/managed-by.js";
import { Usage } from "./parts/usage.js";

const LIST = ["subscriptions", "Subscriptions"] as const;
const members = () => import("./later/members.js");
const forms = () => import("./later/subscription-forms.js");

export default function SubscriptionPage({ id }: { id: string }) {
  const { data, error, reload } = useLoad(id, async () => {
    const subscription = await api.subscriptions.get(id);
    const [[row], plans] = await Promise.all([withNames([subscription]), allPlans.get()]);
    return { ...row!, plans };
  });
  const [dialog, setDialog] = useState("");
  const [failure, setFailure] = useState<unknown>();
  if (data === undefined) {
    return <RecordPending list={LIST} id={id} error={error} reload={reload} />;
  }
  const { subscription, customer, plan, version, price, plans } = data;
  const { status } = subscription;
  const next = nextOfSubscription(subscription);
  const saved = (): void => {
    setDialog("");
    setFailure(undefined);
    reload();
  };
  const change = async (body: SubscriptionUpdate, done: string): Promise<void> => {
    try {
      await guarded(() => api.subscriptions.update(id, body, { ifMatch: subscription }));
      announce(done);
      saved();
    } catch (problem) {
      setFailure(problem);
    }
  };
  const isResumable = (status === "cancelled" || status === "paused") && next.includes("active");
  const actions = (
    <>
      {canChangePlan(subscription) && <Action name="Change plan" act={() => setDialog("plan")} />}
      {status !== "cancelled" && next.includes("paused") && <Action name="Pause" act={() => void change({ status: "paused" }, "Subscription paused")} />}
      {isResumable && <Action name="Resume" act={() => void change({ status: "active" }, "Subscription resumed")} />}
      <Action name="Edit" act={() => setDialog("edit")} shortcut="e" />
      {(next.includes("cancelled") || (subscription.billing !== null && next.includes("expired") && status !== "cancelled")) && <Action name="Cancel" act={() => setDialog("cancel")} isDangerous />}
    </>
  );
  const connection = managedBy(subscription);
  const reason = reasonWithoutAccess(subscription, now());
  const terms: Term[] = [
    ["Customer", <a href={to("users", subscription.user_id)}>{customer}</a>],
    ["Plan", <PlanLink plan={plan} subscription={subscription} />],
    ["Price", price === undefined || version === undefined ? "—" : `${money(price, version.currency)} ${words(version.billing_cycle).toLowerCase()}`],
    ["Quantity", subscription.quantity],
    ["Access", reason === undefined ? "Yes, now" : `No: ${reason}`],
    ["Started", <Moment at={subscription.starts_at} />],
    ["Renews", <Moment at={subscription.renews_at} />],
    ["Ends", <Moment at={subscription.ends_at} />],
    ["Created", <Moment at={subscription.created_at} />],
    ["External ID", <code>{subscription.external_subscription_id ?? "—"}</code>],
  ];
  const revision = answerOf(subscription)?.etag ?? "";
  const show = (field: string, value: unknown): string | undefined => (field.endsWith("subscription_plan_id") ? plans.find((known) => known.id === value)?.name : undefined);
  const payments = () => (
    <TablePanel
      name="Payments"
      version={id + revision}
      load={async () => (await api.payments.list({ subscription_id: id, limit: 50 })).data}
      columns={paymentColumns.filter(({ name }) => name !== "Subscription")}
      id={recordId}
      empty="No payments are recorded for this subscription."
    />
  );
  return (
    <>
      {failure !== undefined && <Problem error={failure} retry={saved} />}
      <RecordPage
        list={LIST}
        id={id}
        name={customer}
        badge={<Status value={status} />}
        actions={connection === null ? actions : <ManagedBy id={connection} />}
        scope="subscriptions:write"
        terms={terms}
        termsTitle="Terms"
        tabs={[
          ["Payments", payments],
          ...(can("invoices:read") ? [["Invoices", () => <InvoicesPanel query={{ subscription_id: id }} version={id + revision} empty="This subscription has no invoices." />] as const] : []),
          ["Members", () => <Later load={members} props={{ id }} />],
          ["Usage", () => <Usage id={id} version={revision} />],
        ]}
        json={subscription}
        path={`/subscriptions/${id}`}
        version={revision}
        show={show}
      >
        {subscription.billing !== null && (
          <Billing subscription={subscription} billing={subscription.billing} plans={plans} revision={revision} discard={() => void change({ billing: { change: null } }, "Planned change discarded")} />
        )}
        <GrantsCard
          record={subscription}
          plan={plan === undefined ? {} : grantsOf(plan)}
          scope="subscriptions:write"
          read={() => api.subscriptions.get(id)}
          update={(body, options) => api.subscriptions.update(id, body, options)}
          saved={saved}
        />
      </RecordPage>
      {dialog !== "" && <Later load={forms} props={{ dialog, subscription, customer, plan, version, plans, close: () => setDialog(""), saved }} />}
    </>
  );
}

function Action({ name, act, shortcut, isDangerous = false }: { name: string; act: () => void; shortcut?: string; isDangerous?: boolean }) {
  return (
    <button type="button" class={isDangerous ? "danger" : ""} data-key={shortcut} onClick={act}>
      {name}
    </button>
  );
}

function PlanLink({ plan, subscription }: { plan: Plan | undefined; subscription: Subscription }) {
  if (plan === undefined) {
    return <code>{subscription.subscription_plan_id}</code>;
  }
  const isOld = plan.version !== subscription.plan_version;
  return (
    <>
      <a href={to("plans", plan.slug)}>{plan.name}</a>, version {subscription.plan_version}
      {isOld && ` (the current one is ${plan.version})`}
    </>
  );
}
