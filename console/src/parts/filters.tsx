// The filters of a list. They are in the URL, so that a list can be reloaded, shared and gone back to.

import { useEffect, useRef, useState } from "preact/hooks";
import { goQuery, place } from "../lib/router.js";
import { Check } from "./fields.js";

export interface Filter {
  /** The parameter in the URL and of the API. */
  name: string;
  label: string;
  kind: "statuses" | "select" | "text" | "date";
  options?: readonly (readonly [value: string, text: string])[] | undefined;
}

/** The filters that are set. */
export function filtersSet(filters: readonly Filter[]): Record<string, string> {
  const { query } = place.get();
  const set: Record<string, string> = {};
  for (const { name } of filters) {
    const value = query.get(name);
    if (value !== null && value !== "") {
      set[name] = value;
    }
  }
  return set;
}

/** Another filter is another list: it begins at its first page. */
function change(name: string, value: string): void {
  goQuery({ [name]: value, cursor: "" });
}

export function clearFilters(filters: readonly Filter[]): void {
  goQuery({ ...Object.fromEntries(filters.map(({ name }) => [name, ""])), cursor: "" });
}

export function Filters({ filters }: { filters: readonly Filter[] }) {
  const set = filtersSet(filters);
  return (
    <div class="filters" role="group" aria-label="Filters">
      {filters.map((filter) => (
        <FilterInput key={filter.name} filter={filter} value={set[filter.name] ?? ""} />
      ))}
      {Object.keys(set).length > 0 && (
        <button type="button" onClick={() => clearFilters(filters)}>
          Clear filters
        </button>
      )}
    </div>
  );
}

function FilterInput({ filter: { name, label, kind, options = [] }, value }: { filter: Filter; value: string }) {
  const id = `filter-${name}`;
  if (kind === "statuses") {
    return <Statuses label={label} options={options} value={value} change={(next) => change(name, next)} />;
  }
  return (
    <div class="filter">
      <label for={id}>{label}</label>
      {kind === "select" ? (
        <select id={id} value={value} onChange={(event) => change(name, event.currentTarget.value)}>
          <option value="">Any</option>
          {options.map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
        </select>
      ) : (
        <TextFilter id={id} key={value} isDate={kind === "date"} value={value} change={(next) => change(name, next)} />
      )}
    </div>
  );
}

function TextFilter({ id, isDate, value, change }: { id: string; isDate: boolean; value: string; change: (value: string) => void }) {
  const onChange = (event: { currentTarget: { value: string } }): void => change(event.currentTarget.value.trim());
  return isDate ? (
    <input id={id} type="date" defaultValue={value} onChange={onChange} />
  ) : (
    <input id={id} type="text" defaultValue={value} onChange={onChange} />
  );
}

interface StatusesProps {
  label: string;
  options: readonly (readonly [value: string, text: string])[];
  value: string;
  change: (value: string) => void;
}

/** A button that opens checkboxes. */
function Statuses({ label, options, value, change }: StatusesProps) {
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isOpen) {
      return undefined;
    }
    const outside = (event: Event): void => {
      if (!box.current?.contains(event.target as Node)) {
        setOpen(false);
      }
    };
    document.addEventListener("pointerdown", outside);
    document.addEventListener("focusin", outside);
    return () => {
      document.removeEventListener("pointerdown", outside);
      document.removeEventListener("focusin", outside);
    };
  }, [isOpen]);
  const chosen = value === "" ? [] : value.split(",");
  const toggle = (option: string): void => {
    const next = options.map(([known]) => known).filter((known) => (known === option) !== chosen.includes(known));
    change(next.join(","));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape" && isOpen) {
      event.stopPropagation();
      setOpen(false);
      button.current?.focus();
    }
  };
  return (
    <div class="filter menu" ref={box} onKeyDown={onKeyDown}>
      <button type="button" ref={button} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {label}
        {chosen.length > 0 && <span aria-hidden="true">: {chosen.length}</span>}
      </button>
      {isOpen && (
        <div class="popover" role="group" aria-label={`${label} choices`}>
          {options.map(([option, text]) => (
            <Check key={option} text={text} checked={chosen.includes(option)} change={() => toggle(option)} />
          ))}
        </div>
      )}
    </div>
  );
}
