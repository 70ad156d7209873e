// The settings of the organization that can be changed: sessions, defaults of billing, and the customer portal.

import { answerOf, api, type Organization, type OrganizationUpdate } from "../../lib/api.js";
import { nested } from "../../lib/nested.js";
import type { Term } from "../../parts/basics.js";
import { display, lines, orNull, type Field, type Values } from "../../parts/fields.js";
import { Form } from "../../parts/form.js";
import { DUNNING, numberOrNull } from "./dunning-fields.js";

const SESSIONS = "Sessions";
const BILLING = "Billing defaults";
const PORTAL = "Customer portal";

/** The name of a field is the place of its member, and the pointer of its errors. */
const FIELDS: readonly Field[] = [
  {
    name: "max_sessions",
    label: "Sessions per user",
    group: SESSIONS,
    kind: "number",
    hint: "The number of sessions that a user should have at most. Empty means no limit.",
    send: numberOrNull,
  },
  { name: "billing/time_zone", label: "Time zone", group: BILLING, hint: "Of new billed subscriptions, such as Europe/Berlin.", send: String },
  { name: "billing/payment_terms_days", label: "Payment terms (days)", group: BILLING, kind: "number", hint: "Until an invoice of manual collection is due.", send: numberOrNull },
  ...DUNNING.map((field) => ({ ...field, group: BILLING })),
  { name: "billing/spread_minutes", label: "Spread renewals (minutes)", group: BILLING, kind: "number", hint: "Renewals of the same instant are spread over this time. 0 means not at all.", send: numberOrNull },
  { name: "billing/renewal_notice_days", label: "Renewal notice (days)", group: BILLING, kind: "number", hint: "Between the event and the renewal. 0 means no event.", send: numberOrNull },
  { name: "portal/name", label: "Portal name", group: PORTAL, hint: "The name that customers see. Empty means the organization's.", send: orNull },
  { name: "portal/accent", label: "Color", group: PORTAL, hint: "The color of buttons, such as #17734b. White text must be readable on it." },
  { name: "portal/cancel", label: "Cancelling", group: PORTAL, kind: "select", options: [["period_end", "At the end of the paid period"], ["now", "Now"], ["off", "Not in the portal"]] },
  { name: "portal/resume", label: "Customers may resume a cancelled subscription", group: PORTAL, kind: "check" },
  { name: "portal/change", label: "Changing the plan", group: PORTAL, kind: "select", options: [["off", "Not in the portal"], ["link", "At the link of the plan"], ["next_period", "From the next period on"]] },
  { name: "portal/return_origins", label: "Return origins", group: PORTAL, kind: "area", hint: "One per line, such as https://app.example.com.", send: lines },
];

function valuesOf({ max_sessions, billing, portal }: Organization): Values {
  return {
    max_sessions: max_sessions === null ? "" : String(max_sessions),
    "billing/time_zone": billing.time_zone,
    "billing/payment_terms_days": String(billing.payment_terms_days),
    "billing/dunning/retry_days": billing.dunning.retry_days.join(", "),
    "billing/dunning/grace_days": String(billing.dunning.grace_days),
    "billing/dunning/then": billing.dunning.then,
    "billing/spread_minutes": String(billing.spread_minutes),
    "billing/renewal_notice_days": String(billing.renewal_notice_days),
    "portal/name": portal.name ?? "",
    "portal/accent": portal.accent,
    "portal/cancel": portal.cancel,
    "portal/resume": portal.resume,
    "portal/change": portal.change,
    "portal/return_origins": portal.return_origins.join("\n"),
  };
}

/** The same to read only. */
export function settingsOf(organization: Organization): Term[] {
  const values = valuesOf(organization);
  return FIELDS.map((field) => [field.label, <span dir="auto">{display(field, values[field.name] ?? "")}</span>]);
}

/** `dunning` is replaced as a whole; the other members are merged. */
function updateOf(body: Record<string, unknown>, base: Organization | undefined): OrganizationUpdate {
  const update = nested(body) as OrganizationUpdate;
  if (base !== undefined && update.billing?.dunning !== undefined) {
    update.billing.dunning = { ...base.billing.dunning, ...update.billing.dunning };
  }
  return update;
}

export function SettingsForm({ organization, saved }: { organization: Organization; saved: () => void }) {
  return (
    <Form
      key={answerOf(organization)?.etag}
      fields={FIELDS}
      values={valuesOf(organization)}
      submit="Save changes"
      done="Settings saved"
      existing={{ record: organization, read: () => api.organizations.get(), values: valuesOf }}
      save={(body, { base }) => api.organizations.update(updateOf(body, base), { ifMatch: base })}
      saved={saved}
    />
  );
}
