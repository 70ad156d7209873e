// Names of fields, statuses and kinds as people read them.

import { moment } from "./time.js";

/** `past_due` is "Past due", `external_id` is "External ID". */
export function words(name: string): string {
  const text = name.replace(/_/g, " ").replace(/\bid\b/g, "ID").replace(/\burl\b/g, "URL").replace(/\bmrr\b/g, "MRR");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** "Pro, yearly": several plans may have the same name. */
export function planLabel({ name, billing_cycle }: { name: string; billing_cycle: string }): string {
  return `${name}, ${words(billing_cycle).toLowerCase()}`;
}

/** `subscription.updated` is "Updated"; `session.revoked` of a user is "Session revoked". */
export function eventWords(type: string, recordKind?: string): string {
  const [kind = "", action = ""] = type.split(".");
  return kind === recordKind ? words(action) : words(`${kind}_${action}`);
}

const PAGES: readonly (readonly [prefix: string, page: string])[] = [
  ["sub_", "subscriptions"],
  ["plan_", "plans"],
  ["pay_", "payments"],
  ["usr_", "users"],
  ["evt_", "events"],
  ["cli_", "clients"],
  ["hook_", "webhooks"],
  ["cpn_", "coupons"],
  ["tax_", "tax-rates"],
  ["mtr_", "meters"],
  ["feat_", "entitlements"],
  ["con_", "connections"],
  ["inv_", "invoices"],
  ["crn_", "credit-notes"],
];

/** The page of a record, by the prefix of its ID. */
export function pageOf(id: string): string | undefined {
  return PAGES.find(([prefix]) => id.startsWith(prefix))?.[1];
}

/** A value of a record as text. */
export function plain(value: unknown): string {
  if (value === null || value === undefined || value === "") {
    return "—";
  }
  if (typeof value === "string" && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) {
    return moment(value);
  }
  if (Array.isArray(value)) {
    return value.some((item) => typeof item === "object") ? `${value.length} ${value.length === 1 ? "item" : "items"}` : value.join(", ") || "—";
  }
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
