// The fields of forms as data: each has a visible label, and its errors are described next to it.

import type { ComponentType } from "preact";
import { words } from "../lib/words.js";

export type Value = string | boolean | readonly string[];
export type Values = Readonly<Record<string, Value>>;

export interface Field {
  /** The member of the record; its errors have the pointer `/name`. */
  name: string;
  label: string;
  kind?: "text" | "number" | "email" | "area" | "select" | "check" | "checks" | "datetime-local" | undefined;
  options?: readonly (readonly [value: string, text: string])[] | undefined;
  hint?: string | undefined;
  /** Fields of a long form that belong together: the heading above the first of them. */
  group?: string | undefined;
  /** Whether the form has the field, for the values as they are. */
  when?: ((values: Values) => boolean) | undefined;
  /** An input for a value that is not one text. */
  input?: ComponentType<CustomProps> | undefined;
  /** The value as people read it. */
  read?: ((value: Value) => string) | undefined;
  /** What is sent. Undefined leaves the member out. */
  send?: ((value: Value) => unknown) | undefined;
}

/** What an input gets in place of the field's. `errorsAt` finds errors below the field's pointer. */
export interface CustomProps {
  id: string;
  value: Value;
  change: (value: Value) => void;
  errorsAt: (pointer: string) => readonly string[];
}

/** What a field sends by default: text without an empty one, numbers as numbers. */
export function sent(field: Field, value: Value): unknown {
  if (field.send !== undefined) {
    return field.send(value);
  }
  if (typeof value !== "string") {
    return value;
  }
  if (value === "") {
    return undefined;
  }
  // What is not a number is sent as it is: the API names the error.
  return field.kind === "number" && Number.isFinite(Number(value)) ? Number(value) : value;
}

/** For fields that can be cleared. */
export const orNull = (value: Value): unknown => (value === "" ? null : value);

/** One item per line. */
export const lines = (value: Value): string[] => String(value).split("\n").map((line) => line.trim()).filter((line) => line !== "");

export const choices = (names: readonly string[]): [string, string][] => names.map((name) => [name, words(name)]);

/** A value as people read it. */
export function display(field: Field, value: Value): string {
  if (field.read !== undefined) {
    return field.read(value);
  }
  if (typeof value === "boolean") {
    return value ? "Yes" : "No";
  }
  if (Array.isArray(value)) {
    return value.length === 0 ? "—" : value.map((one) => optionText(field, one)).join(", ");
  }
  const text = optionText(field, String(value));
  return text === "" ? "—" : text;
}

/** Whether an error is at a member of the object with the pointer `prefix`, or below it. */
export function isAt(pointer: string | undefined, prefix: string, name: string): boolean {
  const own = `${prefix}/${name}`;
  return pointer === own || (pointer?.startsWith(`${own}/`) ?? false);
}

/** An input for a value of several parts shows the errors of each part at the part; other inputs show all errors below them. */
export function isShownAt(pointer: string | undefined, prefix: string, { name, input }: Field, place: string): boolean {
  return input === undefined ? isAt(pointer, prefix, name + place) : pointer === `${prefix}/${name}${place}`;
}

const optionText = ({ options }: Field, value: string): string => options?.find(([known]) => known === value)?.[1] ?? value;

interface FieldProps {
  field: Field;
  prefix: string;
  value: Value;
  /** The errors at the field, or at a place below it. */
  errorsAt: (pointer: string) => readonly string[];
  change: (value: Value) => void;
}

export function FieldInput({ field, prefix, value, errorsAt, change }: FieldProps) {
  const id = `${prefix}-${field.name}`;
  const Custom = field.input;
  if (Custom !== undefined) {
    return <Custom id={id} value={value} change={change} errorsAt={errorsAt} />;
  }
  const errors = errorsAt("");
  const described = [field.hint === undefined ? "" : `${id}-hint`, errors.length === 0 ? "" : `${id}-error`].filter(Boolean).join(" ");
  const common = {
    id,
    name: field.name,
    "aria-invalid": errors.length > 0 ? true : undefined,
    "aria-describedby": described === "" ? undefined : described,
  };
  const hint = field.hint !== undefined && (
    <small id={`${id}-hint`} class="hint">
      {field.hint}
    </small>
  );
  const error = errors.length > 0 && (
    <small id={`${id}-error`} class="error" dir="auto">
      {errors.join(" ")}
    </small>
  );
  if (field.kind === "checks") {
    return (
      <fieldset class="field checks" aria-describedby={common["aria-describedby"]}>
        <legend>{field.label}</legend>
        {(field.options ?? []).map(([option, text]) => (
          <Check key={option} text={text} checked={(value as string[]).includes(option)} change={() => change(toggled(value as string[], option))} />
        ))}
        {hint}
        {error}
      </fieldset>
    );
  }
  if (field.kind === "check") {
    return (
      <div class="field">
        <Check text={field.label} checked={value === true} change={() => change(value !== true)} />
        {hint}
        {error}
      </div>
    );
  }
  const onInput = (event: { currentTarget: { value: string } }): void => change(event.currentTarget.value);
  return (
    <div class="field">
      <label for={id}>{field.label}</label>
      {field.kind === "select" ? (
        <select {...common} value={String(value)} onChange={onInput}>
          {(field.options ?? []).map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
        </select>
      ) : field.kind === "area" ? (
        <textarea {...common} rows={3} value={String(value)} onInput={onInput} />
      ) : field.kind === "datetime-local" ? (
        <input {...common} type="datetime-local" step={1} value={String(value)} onInput={onInput} />
      ) : (
        // Not `type="number"`: it hides what it does not understand, and the wheel changes it.
        <input {...common} type="text" inputMode={field.kind === "number" ? "decimal" : "text"} value={String(value)} onInput={onInput} />
      )}
      {hint}
      {error}
    </div>
  );
}

function toggled(values: readonly string[], option: string): readonly string[] {
  return values.includes(option) ? values.filter((known) => known !== option) : [...values, option];
}

export function Check({ text, checked, change }: { text: string; checked: boolean; change: () => void }) {
  return (
    <label class="check">
      <input type="checkbox" checked={checked} onChange={change} />
      <span>{text}</span>
    </label>
  );
}
