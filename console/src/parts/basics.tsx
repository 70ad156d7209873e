// Small parts that every page uses: the heading, statuses, times, IDs, commands.

import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { announce } from "../lib/session.js";
import { navigations } from "../lib/router.js";
import { day, moment } from "../lib/time.js";
import { words } from "../lib/words.js";

/** The one `h1` of a page. It is the document's title, and has the focus after a navigation. */
export function Heading({ children }: { children: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  // Before the page is painted: later it would take the focus from an input in which someone has begun to type.
  useLayoutEffect(() => {
    if (navigations.count > 0) {
      heading.current?.focus({ preventScroll: true });
    }
  }, []);
  useEffect(() => {
    document.title = `${children} – Perennial`;
  }, [children]);
  return (
    <h1 ref={heading} tabIndex={-1} dir="auto">
      {children}
    </h1>
  );
}

/** Good, waiting, bad or over: each has a shape as well as a color. */
const TONES: Readonly<Record<string, string>> = {
  active: "good",
  on_trial: "good",
  completed: "good",
  paid: "good",
  ok: "good",
  applied: "good",
  open: "wait",
  draft: "wait",
  overdue: "bad",
  uncollectible: "bad",
  enabled: "good",
  done: "good",
  succeeded: "good",
  pending: "wait",
  incomplete: "wait",
  processing: "wait",
  past_due: "wait",
  partially_refunded: "wait",
  waiting: "wait",
  ready: "good",
  working: "wait",
  advancing: "wait",
  held: "bad",
  deleting: "wait",
  unpaid: "bad",
  failed: "bad",
  disputed: "bad",
  blocked: "bad",
  failing: "bad",
  given_up: "bad",
};

export function Status({ value }: { value: string }) {
  return <span class={`status ${TONES[value] ?? "over"}`}>{words(value)}</span>;
}

/** A day in a table; the exact time is its tooltip. */
export function Day({ at }: { at: string | null }) {
  return at === null ? (
    <>—</>
  ) : (
    <time dateTime={at} title={moment(at)}>
      {day(at)}
    </time>
  );
}

export function Moment({ at }: { at: string | null }) {
  return at === null ? <>—</> : <time dateTime={at}>{moment(at)}</time>;
}

async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    announce("Copied");
  } catch {
    announce("The browser did not allow copying");
  }
}

function CopyIcon() {
  return (
    <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.5">
      <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
      <path d="M10.5 3.5v-1a1 1 0 0 0-1-1h-6a2 2 0 0 0-2 2v6a1 1 0 0 0 1 1h1" />
    </svg>
  );
}

/** In place of actions, if the role may not act. */
export const ViewOnly = () => <p class="faint">Your role can only view this page.</p>;

/** An ID with a button that copies it. */
export function Id({ id }: { id: string }) {
  return (
    <span class="id">
      <code>{id}</code>
      <button type="button" class="icon" aria-label="Copy ID" title="Copy ID" onClick={() => void copy(id)}>
        <CopyIcon />
      </button>
    </span>
  );
}

/** A command or a piece of code, with a button that copies it. */
export function Command({ text, name = "Copy command" }: { text: string; name?: string }) {
  return (
    <div class="command">
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
      <button type="button" class="icon" aria-label={name} title={name} onClick={() => void copy(text)}>
        <CopyIcon />
      </button>
    </div>
  );
}

/** A field of a record. */
export type Term = readonly [name: string, value: ComponentChildren];

export function Terms({ terms }: { terms: readonly Term[] }) {
  return (
    <dl class="terms">
      {terms.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export function Card({ title, children, className = "" }: { title: string; children: ComponentChildren; className?: string }) {
  return (
    <section class={`card ${className}`}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** Tabs; only the selected panel exists. */
export function Tabs({ tabs }: { tabs: readonly (readonly [name: string, panel: () => ComponentChildren])[] }) {
  const [selected, select] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step !== undefined) {
      const next = (selected + step + tabs.length) % tabs.length;
      select(next);
      list.current?.querySelectorAll<HTMLElement>("[role=tab]")[next]?.focus();
    }
  };
  const [name, panel] = tabs[selected] ?? tabs[0]!;
  return (
    <section class="card tabs">
      <div role="tablist" ref={list} onKeyDown={move}>
        {tabs.map(([tab], at) => (
          <button
            key={tab}
            type="button"
            role="tab"
            id={`tab-${at}`}
            aria-selected={at === selected}
            aria-controls="panel"
            tabIndex={at === selected ? 0 : -1}
            onClick={() => select(at)}
          >
            {tab}
          </button>
        ))}
      </div>
      <div role="tabpanel" id="panel" aria-labelledby={`tab-${selected}`} key={name}>
        {panel()}
      </div>
    </section>
  );
}
