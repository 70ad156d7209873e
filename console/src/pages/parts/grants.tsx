// The grants of a plan, or the overrides of a subscription: what it gives, and the form that changes it.

import { useState } from "preact/hooks";
import { useLoad } from "../../lib/load.js";
import { nested } from "../../lib/nested.js";
import { to } from "../../lib/router.js";
import { can } from "../../lib/session.js";
import { words } from "../../lib/words.js";
import { Card } from "../../parts/basics.js";
import type { Field, Value, Values } from "../../parts/fields.js";
import { RecordForm } from "../../parts/form.js";
import { Problem } from "../../parts/problem.js";
import { Table, type Column } from "../../parts/table.js";
import { allFeatures, grantsOf, grantWords, type Feature, type Grants } from "./features.js";

interface GrantsProps<T extends object> {
  record: T;
  /** The grants of the plan, if the record is a subscription that overrides them. */
  plan?: Grants | undefined;
  scope: string;
  read: () => Promise<T>;
  update: (body: object, options: { ifMatch: T | undefined }) => Promise<T>;
  saved: () => void;
}

export function GrantsCard<T extends object>({ record, plan, scope, read, update, saved }: GrantsProps<T>) {
  const { data: features, error, reload } = useLoad("features", allFeatures);
  const [isOpen, setOpen] = useState(false);
  const own = grantsOf(record);
  if (features?.length === 0) {
    return null;
  }
  const shown = (features ?? []).filter(({ key }) => own[key] !== undefined || plan?.[key] !== undefined);
  const noun = plan === undefined ? "grants" : "overrides";
  return (
    <Card title="Entitlements">
      {error !== undefined && <Problem error={error} retry={reload} />}
      {features !== undefined && shown.length === 0 && <p class="faint">{plan === undefined ? "The plan grants nothing." : "Neither the plan nor the subscription grants anything."}</p>}
      {shown.length > 0 && <Table name="Grants" columns={columnsOf(own, plan)} rows={shown} id={({ key }) => key} />}
      {can(scope) && features !== undefined && (
        <div class="actions after">
          <button type="button" onClick={() => setOpen(true)}>
            Change {noun}
          </button>
        </div>
      )}
      {isOpen && features !== undefined && (
        <RecordForm
          title={`Change ${noun}`}
          fields={fieldsOf(features, plan)}
          values={valuesOf(features)(record)}
          submit="Save changes"
          done={plan === undefined ? "Grants changed" : "Overrides changed"}
          existing={{ record, read, values: valuesOf(features) }}
          save={(body, { base }) => update(nested(body), { ifMatch: base })}
          close={() => setOpen(false)}
          saved={() => {
            setOpen(false);
            saved();
          }}
        />
      )}
    </Card>
  );
}

function columnsOf(own: Grants, plan: Grants | undefined): Column<Feature>[] {
  const columns: Column<Feature>[] = [
    { name: "Feature", show: ({ key, name }) => <a href={to("entitlements", key)}>{name}</a>, text: ({ name }) => name },
    { name: "Kind", show: ({ kind, is_active }) => `${words(kind)}${is_active ? "" : ", not active"}`, text: ({ kind }) => kind },
  ];
  const value = (name: string, grants: Grants): Column<Feature> => ({ name, isNumber: true, show: ({ key }) => grantWords(grants[key]), text: ({ key }) => grants[key] });
  return plan === undefined ? [...columns, value("Value", own)] : [...columns, value("Plan", plan), value("Override", own), value("Value", { ...plan, ...own })];
}

const valuesOf = (features: readonly Feature[]) => (record: object): Values => {
  const own = grantsOf(record);
  return Object.fromEntries(features.map(({ key }) => [`entitlements/${key}`, own[key] === undefined ? "" : String(own[key])]));
};

/** Null removes a grant. What is neither a number nor "unlimited" is sent as it is: the API names the error. */
function limit(value: Value): unknown {
  const text = String(value).trim();
  return text === "" ? null : /^\d+$/.test(text) ? Number(text) : text.toLowerCase();
}

function fieldsOf(features: readonly Feature[], plan: Grants | undefined): Field[] {
  return features.map(({ key, name, kind, per_unit }) => {
    const none = plan === undefined ? "Not granted" : `As the plan (${grantWords(plan[key])})`;
    const field = { name: `entitlements/${key}`, label: name };
    return kind === "boolean"
      ? {
          ...field,
          kind: "select",
          options: [
            ["", none],
            ["true", "Yes"],
            ["false", "No"],
          ],
          send: (value: Value) => (value === "" ? null : value === "true"),
        }
      : { ...field, kind: "number", hint: `A number${per_unit ? " per unit" : ""}, or unlimited. Empty: ${none.charAt(0).toLowerCase()}${none.slice(1)}.`, send: limit };
  });
}
