// What a user has: the features of all subscriptions with access, combined.

import { useLoad } from "../../lib/load.js";
import { to } from "../../lib/router.js";
import { moment } from "../../lib/time.js";
import { words } from "../../lib/words.js";
import { Day } from "../../parts/basics.js";
import { Problem } from "../../parts/problem.js";
import { Table, type Column } from "../../parts/table.js";
import { grantWords, userEntitlements, type Entitlement } from "./features.js";

type Row = Entitlement & { key: string };

const COLUMNS: readonly Column<Row>[] = [
  { name: "Feature", show: ({ key }) => <a href={to("entitlements", key)}>{key}</a>, text: ({ key }) => key },
  { name: "Kind", show: ({ kind }) => words(kind), text: ({ kind }) => kind },
  { name: "Value", isNumber: true, show: ({ value }) => grantWords(value), text: ({ value }) => value },
  { name: "Used", isNumber: true, show: ({ used }) => grantWords(used), text: ({ used }) => used },
  { name: "Remaining", isNumber: true, show: ({ remaining }) => grantWords(remaining), text: ({ remaining }) => remaining },
  { name: "Resets", show: ({ resets_at }) => <Day at={resets_at} />, text: ({ resets_at }) => resets_at },
  {
    name: "Subscriptions",
    show: ({ sources }) =>
      sources.map(({ subscription_id, value }) => (
        <div key={subscription_id}>
          <a href={to("subscriptions", subscription_id)} title={subscription_id}>
            <code>{subscription_id}</code>
          </a>
          : {grantWords(value)}
        </div>
      )),
    text: ({ sources }) => sources.map(({ subscription_id }) => subscription_id).join(" "),
  },
];

export function EntitlementsPanel({ id, version }: { id: string; version: string }) {
  const { data, error, reload } = useLoad(`entitlements ${version}`, () => userEntitlements(id));
  if (error !== undefined) {
    return <Problem error={error} retry={reload} />;
  }
  if (data === undefined) {
    return null;
  }
  const rows = Object.entries(data.entitlements).map(([key, entitlement]) => ({ key, ...entitlement }));
  return (
    <>
      {rows.length === 0 ? <p class="faint">This user has no entitlements now.</p> : <Table name="Entitlements" columns={COLUMNS} rows={rows} id={({ key }) => key} />}
      {data.valid_until !== null && <p class="faint">The clock alone changes this at {moment(data.valid_until)}.</p>}
      {data.truncated && <p class="faint">The user has more subscriptions than are counted.</p>}
    </>
  );
}
