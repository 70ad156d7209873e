// Forms in dialogs. A new record is sent with one idempotency key per opened form; a change is sent with the revision that it is
// based on, and shows what will change before it is saved. If the record changed in between, both versions are shown.

import { Fragment, type ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { guarded, newFormKey, PerennialProblem, shown } from "../lib/api.js";
import { announce } from "../lib/session.js";
import { Dialog } from "./dialog.js";
import { display, FieldInput, isAt, isShownAt, sent, type Field, type Value, type Values } from "./fields.js";
import { Problem } from "./problem.js";

interface FormProps<T extends object> {
  fields: readonly Field[];
  values: Values;
  submit: string;
  cancel?: string | undefined;
  /** What is announced after success. */
  done: string;
  /** Sends the body: of a change, only the members that differ. */
  save: (body: Record<string, unknown>, options: { idempotencyKey: string; base: T | undefined; values: Values }) => Promise<unknown>;
  /** Of a form in a dialog. */
  close?: (() => void) | undefined;
  saved: (result: unknown) => void;
  /** Of an existing record: as it was read, how to read it again, and its values in the form. */
  existing?: { record: T; read: () => Promise<T>; values: (record: T) => Values } | undefined;
  /** The pointer of the object that the fields are members of, if it is not the body. */
  prefix?: string | undefined;
  /** More to show above the buttons, for the values as they are. */
  note?: ((values: Values) => ComponentChildren) | undefined;
  /** What is asked before the body is sent; undefined sends it at once. */
  question?: ((values: Values) => { button: string; text: ComponentChildren } | undefined) | undefined;
  /** What a body would do, shown with the changes. */
  effects?: ((body: Record<string, unknown>) => ComponentChildren) | undefined;
}

/** A form in a dialog. */
export function RecordForm<T extends object>({ title, close, ...rest }: FormProps<T> & { title: string; close: () => void }) {
  return (
    <Dialog title={title} close={close}>
      <Form {...rest} close={close} />
    </Dialog>
  );
}

/** A form on a page. */
export function Form<T extends object>({ fields: all, values: first, submit, cancel = "Cancel", done, save, close, saved, existing, note, effects, question, prefix = "" }: FormProps<T>) {
  const [values, setValues] = useState(first);
  const [base, setBase] = useState<{ record: T | undefined; values: Values }>({ record: existing?.record, values: first });
  const [failure, setFailure] = useState<unknown>();
  const [stale, setStale] = useState<{ record: T; values: Values }>();
  const [isSaving, setSaving] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const key = useRef(newFormKey());
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  // A long form has the alert far above its buttons: the focus brings it into view.
  useLayoutEffect(() => {
    if (failure !== undefined) {
      form.current?.querySelector<HTMLElement>(":scope > [role=alert]")?.focus();
    }
  }, [failure]);
  const fields = all.filter(({ when }) => when?.(values) ?? true);
  const changed = fields.filter((field) => !same(values[field.name], base.values[field.name]));

  const bodyOf = (relevant: readonly Field[]): Record<string, unknown> => {
    const body: Record<string, unknown> = {};
    for (const field of relevant) {
      const value = sent(field, values[field.name] ?? "");
      if (value !== undefined) {
        body[field.name] = value;
      }
    }
    return body;
  };
  const send = async (against: { record: T | undefined; values: Values }): Promise<void> => {
    const body = bodyOf(existing === undefined ? fields : fields.filter((field) => !same(values[field.name], against.values[field.name])));
    setSaving(true);
    try {
      const result = await guarded(() => save(body, { idempotencyKey: key.current, base: against.record, values }));
      announce(done);
      saved(result);
    } catch (error) {
      if (existing !== undefined && error instanceof PerennialProblem && error.code === "stale") {
        const record = await guarded(existing.read);
        setStale({ record, values: existing.values(record) });
      } else {
        setFailure(error);
        // Another body needs another key; the same body sent again does not reach this.
        key.current = error instanceof PerennialProblem && error.status < 500 ? newFormKey() : key.current;
      }
    } finally {
      setSaving(false);
    }
  };

  const canSave = !isSaving && (existing === undefined || changed.length > 0);
  const onSubmit = (event: Event): void => {
    event.preventDefault();
    if (!canSave) {
      return;
    }
    if (question?.(values) !== undefined) {
      setAsking(true);
    } else {
      void send(base);
    }
  };
  const faults = failure instanceof PerennialProblem ? failure.errors : [];
  const errorsAt = (field: Field) => (place: string): string[] => faults.filter(({ pointer }) => isShownAt(pointer, prefix, field, place)).map(({ detail }) => sentence(detail));
  const asked = isAsking ? question?.(values) : undefined;
  const change = (field: Field) => (value: Value) => setValues({ ...values, [field.name]: value });
  return (
    <>
      <form ref={form} class="stack" onSubmit={onSubmit} noValidate>
        {failure !== undefined && (faults.length === 0 ? <Problem error={failure} /> : <Faults faults={faults} fields={fields} prefix={id} pointer={prefix} failure={failure} />)}
        {fields.map((field, at) => (
          <Fragment key={field.name}>
            {field.group !== undefined && field.group !== fields[at - 1]?.group && <h3>{field.group}</h3>}
            <FieldInput field={field} prefix={id} value={values[field.name] ?? ""} errorsAt={errorsAt(field)} change={change(field)} />
          </Fragment>
        ))}
        {note?.(values)}
        {existing !== undefined && <Changes fields={changed} before={base.values} after={values} effects={effects?.(bodyOf(changed))} />}
        <div class="actions">
          {close !== undefined && (
            <button type="button" onClick={close}>
              {cancel}
            </button>
          )}
          <button type="submit" class="primary" aria-disabled={!canSave}>
            {submit}
          </button>
        </div>
      </form>
      {asked !== undefined && (
        <Dialog title={asked.button} close={() => setAsking(false)}>
          {asked.text}
          <div class="actions">
            <button type="button" data-focus onClick={() => setAsking(false)}>
              Back
            </button>
            <button
              type="button"
              class="primary"
              onClick={() => {
                setAsking(false);
                void send(base);
              }}
            >
              {asked.button}
            </button>
          </div>
        </Dialog>
      )}
      {stale !== undefined && (
        <StaleDialog
          fields={fields}
          ours={values}
          theirs={stale.values}
          close={() => setStale(undefined)}
          reload={() => {
            setBase(stale);
            setValues(stale.values);
            setStale(undefined);
          }}
          again={() => {
            setBase(stale);
            setStale(undefined);
            void send(stale);
          }}
        />
      )}
    </>
  );
}

function same(one: Value | undefined, other: Value | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function sentence(detail: string): string {
  return detail.charAt(0).toUpperCase() + detail.slice(1) + (/[.!?]$/.test(detail) ? "" : ".");
}

/** All errors in one alert, each with a link to its field. */
function Faults({ faults, fields, prefix, pointer: parent, failure }: { faults: PerennialProblem["errors"]; fields: readonly Field[]; prefix: string; pointer: string; failure: unknown }) {
  return (
    <div class="problem" role="alert" tabIndex={-1}>
      <p>
        <strong>{shown(failure).detail}</strong>
      </p>
      <ul>
        {faults.map(({ pointer = "", detail }) => {
          const field = fields.find(({ name }) => isAt(pointer, parent, name));
          const focus = (event: Event): void => {
            event.preventDefault();
            document.getElementById(`${prefix}-${field?.name}`)?.focus();
          };
          return (
            <li key={pointer + detail} dir="auto">
              {field === undefined ? pointer : <a href={`#${prefix}-${field.name}`} onClick={focus}>{field.label}</a>}: {sentence(detail)}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** What will change. */
function Changes({ fields, before, after, effects }: { fields: readonly Field[]; before: Values; after: Values; effects: ComponentChildren }) {
  return (
    <section class="changes" aria-label="Changes">
      <h3>Changes</h3>
      {fields.length === 0 ? (
        <p>Nothing changes yet.</p>
      ) : (
        <ul>
          {fields.map((field) => (
            <li key={field.name} dir="auto">
              {field.label}: <del>{display(field, before[field.name] ?? "")}</del> → <ins>{display(field, after[field.name] ?? "")}</ins>
            </li>
          ))}
        </ul>
      )}
      {fields.length > 0 && effects}
    </section>
  );
}

interface StaleProps {
  fields: readonly Field[];
  ours: Values;
  theirs: Values;
  close: () => void;
  reload: () => void;
  again: () => void;
}

function StaleDialog({ fields, ours, theirs, close, reload, again }: StaleProps) {
  const rows = fields.filter((field) => !same(ours[field.name], theirs[field.name]));
  return (
    <Dialog title="Record changed" close={close}>
      <p>The record changed after you opened the form. Reload to use the stored values, or apply yours again.</p>
      <div class="scroll" tabIndex={0} role="group" aria-label="Versions">
        <table>
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">Yours</th>
              <th scope="col">Stored</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((field) => (
              <tr key={field.name}>
                <th scope="row">{field.label}</th>
                <td dir="auto">{display(field, ours[field.name] ?? "")}</td>
                <td dir="auto">{display(field, theirs[field.name] ?? "")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div class="actions">
        <button type="button" onClick={reload} data-focus>
          Reload
        </button>
        <button type="button" class="primary" onClick={again}>
          Apply again
        </button>
      </div>
    </Dialog>
  );
}
