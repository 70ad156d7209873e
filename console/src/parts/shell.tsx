// What surrounds every page: banner, navigation, notes, and the announcement of results.

import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { useCell } from "../lib/cell.js";
import { isMoving, isTest, readClock, testClock } from "../lib/clock.js";
import type { Session } from "../lib/api.js";
import { isHelpOpen, PAGE_KEYS, shortcutsOn } from "../lib/keys.js";
import { reads } from "../lib/load.js";
import { place, to } from "../lib/router.js";
import { announcement, can, signOut } from "../lib/session.js";
import { nextTheme, theme } from "../lib/theme.js";
import { moment } from "../lib/time.js";
import { words } from "../lib/words.js";
import { Check } from "./fields.js";
import { Dialog } from "./dialog.js";
import { Search } from "./search.js";

/** The pages that exist, with the scope that each needs. */
const SCOPES: Readonly<Record<string, string | undefined>> = {
  "": undefined,
  subscriptions: "subscriptions:read",
  plans: "plans:read",
  coupons: "plans:read",
  "tax-rates": "plans:read",
  meters: "plans:read",
  payments: "payments:read",
  invoices: "invoices:read",
  "credit-notes": "invoices:read",
  users: "users:read",
  entitlements: "plans:read",
  events: "events:read",
  webhooks: "webhooks:write",
  connections: "organization:read",
  clients: "clients:write",
  operators: "clients:write",
  settings: "organization:read",
  movements: "analytics:read",
};

/** Pages that are not in the navigation, and the page there that leads to them. */
const PARENTS: Readonly<Record<string, string>> = { coupons: "plans", "tax-rates": "plans", meters: "plans", "credit-notes": "invoices", movements: "" };

/** Whether the page exists and the role may open it. Not every page is in the navigation. */
export function mayOpen(page: string): boolean {
  return page in SCOPES && (SCOPES[page] === undefined || can(SCOPES[page]));
}

/** The pages that the role may open, in the order of the navigation. */
export function openPages(): string[] {
  return PAGE_KEYS.map(([, page]) => page).filter(mayOpen);
}

export function Shell({ session, children }: { session: Session; children: ComponentChildren }) {
  const busy = useCell(reads) > 0;
  const text = useCell(announcement);
  const chosen = useCell(theme);
  const toContent = (event: Event): void => {
    event.preventDefault();
    document.querySelector<HTMLElement>("main h1")?.focus();
  };
  return (
    <div class="shell">
      <header class="banner">
        <a class="skip" href="#content" onClick={toContent}>
          Skip to content
        </a>
        <a class="brand" href={to()} aria-label="Perennial, to the overview">
          <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
            <path fill="currentColor" d="M9 19v-6C4 13 1 10 1 4c5 0 8 2 9 6 0-4 3-7 9-7 0 6-3 9-8 9v7z" />
          </svg>
          Perennial
        </a>
        <Search />
        <div class="actions">
          <button type="button" aria-label="Keyboard shortcuts" title="Keyboard shortcuts" onClick={() => isHelpOpen.set(true)}>
            ?
          </button>
          <button type="button" onClick={nextTheme}>
            Theme: {chosen}
          </button>
        </div>
      </header>
      <Navigation session={session} />
      <main id="content" aria-busy={busy}>
        {session.demo && (
          <p class="note" role="note" aria-label="Demo data">
            <strong>Demo data</strong>: this store was filled by <code>perennial demo</code>.
          </p>
        )}
        {isTest() && <ClockNote />}
        {children}
      </main>
      <div class="toast" role="status">
        {text}
      </div>
      <Help />
    </div>
  );
}

/** The time of a test organization. It is read after every navigation, and every second while it moves. */
function ClockNote() {
  const at = useCell(place);
  const clock = useCell(testClock);
  // A page shows its own failures; the note stays as it was.
  const read = (): void => void readClock().catch(() => undefined);
  const moves = isMoving(clock);
  useEffect(read, [at]);
  useEffect(() => {
    const timer = moves ? setInterval(read, 1000) : undefined;
    return () => clearInterval(timer);
  }, [moves]);
  const time = clock === null ? "real time" : clock === undefined ? "…" : `${moment(clock.now)}, ${clock.status}`;
  return (
    <p class="note" role="note" aria-label="Test clock">
      <strong>Test organization</strong>: {time}. <a href={to("settings")}>Test clock</a>
    </p>
  );
}

function Navigation({ session }: { session: Session }) {
  const { segments } = useCell(place);
  const page = segments[0] ?? "";
  const current = PARENTS[page] ?? page;
  const names = new Map(PAGE_KEYS.map(([, page, name]) => [page, name]));
  return (
    <nav aria-label="Main">
      <ul>
        {openPages().map((page) => (
          <li key={page}>
            <a href={page === "" ? to() : to(page)} aria-current={page === current ? "page" : undefined}>
              {names.get(page)}
            </a>
          </li>
        ))}
      </ul>
      <div class="who">
        <p dir="auto">{session.organization.name}</p>
        <p dir="auto">
          {session.operator.name}, {words(session.operator.role)}
        </p>
        <button type="button" onClick={() => void signOut()}>
          Sign out
        </button>
      </div>
    </nav>
  );
}

function Help() {
  const isOpen = useCell(isHelpOpen);
  const isOn = useCell(shortcutsOn) === "on";
  if (!isOpen) {
    return null;
  }
  const pages = openPages();
  const rows: [string, string][] = [
    ["/ or Ctrl+K", "Search"],
    ["j, k", "Next and previous row"],
    ["Enter", "Open"],
    ["e", "Edit"],
    ["Escape", "Close"],
    ...PAGE_KEYS.filter(([, page]) => pages.includes(page)).map(([key, , name]): [string, string] => [`g then ${key}`, name]),
  ];
  return (
    <Dialog title="Keyboard shortcuts" close={() => isHelpOpen.set(false)}>
      <dl class="terms">
        {rows.map(([keys, meaning]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <Check text="Single-key shortcuts" checked={isOn} change={() => shortcutsOn.set(isOn ? "off" : "on")} />
      <div class="actions">
        <button type="button" data-focus onClick={() => isHelpOpen.set(false)}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
