// Single-key shortcuts. None acts while an input has the focus, in a dialog, or with a modifier.

import { cell } from "./cell.js";
import { go, to } from "./router.js";
import { stored } from "./stored.js";

/** The pages in the order of the navigation, with the key that opens each after `g`. */
export const PAGE_KEYS: readonly (readonly [key: string, page: string, name: string])[] = [
  ["o", "", "Overview"],
  ["s", "subscriptions", "Subscriptions"],
  ["p", "plans", "Plans"],
  ["y", "payments", "Payments"],
  ["i", "invoices", "Invoices"],
  ["u", "users", "Users"],
  ["f", "entitlements", "Entitlements"],
  ["e", "events", "Events"],
  ["w", "webhooks", "Webhooks"],
  ["n", "connections", "Connections"],
  ["c", "clients", "Clients"],
  ["r", "operators", "Operators"],
  ["t", "settings", "Settings"],
];

export const shortcutsOn = stored("shortcuts", "on");
export const isHelpOpen = cell(false);

let isPending = false;

/** `pages` are those that can be opened. */
export function startKeys(pages: () => readonly string[]): void {
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
      event.preventDefault();
      focusSearch();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || document.querySelector("dialog[open]") !== null) {
      return;
    }
    if (shortcutsOn.get() === "on" && act(event.key, pages())) {
      event.preventDefault();
    }
  });
}

function act(key: string, pages: readonly string[]): boolean {
  if (isPending) {
    isPending = false;
    const page = PAGE_KEYS.find(([known]) => known === key)?.[1];
    if (page === undefined || !pages.includes(page)) {
      return false;
    }
    go(page === "" ? to() : to(page));
    return true;
  }
  switch (key) {
    case "g":
      isPending = true;
      setTimeout(() => (isPending = false), 1_500);
      return true;
    case "/":
      focusSearch();
      return true;
    case "?":
      isHelpOpen.set(true);
      return true;
    case "j":
      return moveRow(1);
    case "k":
      return moveRow(-1);
    case "e":
      return press("[data-key=e]");
    default:
      return false;
  }
}

function focusSearch(): void {
  document.querySelector<HTMLInputElement>("[role=combobox]")?.focus();
}

function press(selector: string): boolean {
  const button = document.querySelector<HTMLElement>(`main ${selector}`);
  button?.click();
  return button !== null;
}

function moveRow(step: number): boolean {
  const links = [...document.querySelectorAll<HTMLElement>("main tbody tr > :first-child a")];
  const at = links.findIndex((link) => link.closest("tr")?.contains(document.activeElement));
  const next = at === -1 ? (step > 0 ? 0 : links.length - 1) : Math.min(Math.max(at + step, 0), links.length - 1);
  links[next]?.focus();
  return links.length > 0;
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}
