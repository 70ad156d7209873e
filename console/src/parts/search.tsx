// Search by ID, address, external ID or slug: a combobox with a list of results.

import { useEffect, useRef, useState } from "preact/hooks";
import { api, guarded, type SearchResult } from "../lib/api.js";
import { go, to } from "../lib/router.js";
import { words } from "../lib/words.js";

const PAGES: Readonly<Record<string, string>> = { user: "users", plan: "plans", subscription: "subscriptions", payment: "payments", invoice: "invoices" };

export function Search() {
  const [text, setText] = useState("");
  const [results, setResults] = useState<SearchResult[]>();
  const [selected, select] = useState(0);
  const [isOpen, setOpen] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const query = text.trim();
  useEffect(() => {
    setResults(undefined);
    select(0);
    if (query.length < 3) {
      return undefined;
    }
    let isCurrent = true;
    const timer = setTimeout(() => {
      guarded(() => api.search.find({ q: query, limit: 10 })).then(
        ({ data }) => isCurrent && setResults(data),
        () => isCurrent && setResults([]),
      );
    }, 120);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [query]);
  const open = (result: SearchResult | undefined): void => {
    const page = PAGES[result?.kind ?? ""];
    if (result !== undefined && page !== undefined) {
      setText("");
      setOpen(false);
      go(to(page, result.id));
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const last = (results?.length ?? 0) - 1;
    if (event.key === "ArrowDown") {
      select(Math.min(selected + 1, last));
    } else if (event.key === "ArrowUp") {
      select(Math.max(selected - 1, 0));
    } else if (event.key === "Enter") {
      open(results?.[selected]);
    } else if (event.key === "Escape") {
      setText("");
      input.current?.blur();
    } else {
      return;
    }
    event.preventDefault();
  };
  const isShown = isOpen && query.length > 0;
  return (
    <div class="search">
      <input
        ref={input}
        role="combobox"
        aria-label="Search"
        aria-expanded={isShown}
        aria-controls="search-results"
        aria-autocomplete="list"
        aria-activedescendant={isShown && results?.[selected] !== undefined ? `result-${selected}` : undefined}
        autocomplete="off"
        spellcheck={false}
        placeholder="Address, ID, number or slug"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setOpen(true);
        }}
        onFocus={() => setOpen(true)}
        onBlur={() => setTimeout(() => setOpen(false), 150)}
        onKeyDown={onKeyDown}
      />
      <kbd aria-hidden="true">/</kbd>
      <ul id="search-results" role="listbox" aria-label="Search results" hidden={!isShown}>
        {(results ?? []).map((result, at) => (
          <li key={result.id} id={`result-${at}`} role="option" aria-selected={at === selected} onPointerDown={() => open(result)}>
            <span dir="auto">{result.label}</span> <small>{words(result.kind)}</small>
          </li>
        ))}
        {isShown && (results === undefined || results.length === 0) && (
          <li role="option" aria-selected="false" aria-disabled="true" class="faint">
            {query.length < 3 ? "Type at least 3 characters" : results === undefined ? "Searching…" : "No matching records"}
          </li>
        )}
      </ul>
    </div>
  );
}
