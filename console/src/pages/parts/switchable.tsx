// The page of a record that can be activated and deactivated, and may have a form.

import { useState } from "preact/hooks";
import { answerOf, guarded } from "../../lib/api.js";
import { useLoad } from "../../lib/load.js";
import { announce } from "../../lib/session.js";
import { Moment, Status, type Term } from "../../parts/basics.js";
import { Confirm } from "../../parts/confirm.js";
import type { Field, Values } from "../../parts/fields.js";
import { RecordForm } from "../../parts/form.js";
import { Problem } from "../../parts/problem.js";
import { RecordPage, RecordPending } from "../../parts/record.js";

interface Switchable {
  id: string;
  is_active: boolean;
  created_at: string;
}

interface SwitchableProps<T extends Switchable> {
  id: string;
  list: readonly [page: string, name: string];
  /** "coupon": in texts. */
  noun: string;
  path: string;
  resource: {
    get: (id: string) => Promise<T>;
    update: (id: string, body: { is_active?: boolean }, options: { ifMatch?: T | undefined }) => Promise<T>;
  };
  name: (record: T) => string;
  terms: (record: T) => readonly Term[];
  /** What follows from deactivating it. */
  consequence: string;
  form?: { fields: (record: T) => readonly Field[]; values: (record: T) => Values };
}

export function SwitchablePage<T extends Switchable>({ id, list, noun, path, resource, name, terms, consequence, form }: SwitchableProps<T>) {
  const { data: record, error, reload } = useLoad(id, () => resource.get(id));
  const [dialog, setDialog] = useState("");
  const [failure, setFailure] = useState<unknown>();
  if (record === undefined) {
    return <RecordPending list={list} id={id} error={error} reload={reload} />;
  }
  const close = (): void => setDialog("");
  const saved = (): void => {
    close();
    setFailure(undefined);
    reload();
  };
  const Noun = noun.charAt(0).toUpperCase() + noun.slice(1);
  const set = (is_active: boolean): Promise<T> => resource.update(record.id, { is_active }, { ifMatch: record });
  const activate = async (): Promise<void> => {
    try {
      await guarded(() => set(true));
      announce(`${Noun} activated`);
      saved();
    } catch (problem) {
      setFailure(problem);
    }
  };
  const actions = (
    <>
      {form !== undefined && (
        <button type="button" data-key="e" onClick={() => setDialog("edit")}>
          Edit
        </button>
      )}
      {record.is_active ? (
        <button type="button" class="danger" onClick={() => setDialog("deactivate")}>
          Deactivate
        </button>
      ) : (
        <button type="button" class="primary" onClick={() => void activate()}>
          Activate
        </button>
      )}
    </>
  );
  return (
    <>
      {failure !== undefined && <Problem error={failure} retry={saved} />}
      <RecordPage
        list={list}
        id={record.id}
        name={name(record)}
        badge={<Status value={record.is_active ? "active" : "inactive"} />}
        actions={actions}
        scope="plans:write"
        terms={[...terms(record), ["Created", <Moment at={record.created_at} />]]}
        json={record}
        path={`${path}/${record.id}`}
        version={answerOf(record)?.etag ?? ""}
      />
      {dialog === "edit" && form !== undefined && (
        <RecordForm
          title={`Edit ${noun}`}
          fields={form.fields(record)}
          values={form.values(record)}
          submit="Save changes"
          done={`${Noun} changed`}
          existing={{ record, read: () => resource.get(record.id), values: form.values }}
          save={(body, { base }) => resource.update(record.id, body, { ifMatch: base })}
          close={close}
          saved={saved}
        />
      )}
      {dialog === "deactivate" && (
        <Confirm title={`Deactivate ${noun}`} button={`Deactivate ${noun}`} keep={`Keep ${noun}`} done={`${Noun} deactivated`} act={() => set(false)} close={close} saved={saved}>
          <p dir="auto">{consequence}</p>
        </Confirm>
      )}
    </>
  );
}
