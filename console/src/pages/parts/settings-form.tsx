// The settings of the organization that can be changed: sessions, defaults of billing, and the customer portal.

import { answerOf, api, type Organization, type OrganizationUpdate, type TaxRate } from "../../lib/api.js";
import { nested } from "../../lib/nested.js";
import type { Term } from "../../parts/basics.js";
import { display, lines, orNull, type Field, type Values } from "../../parts/fields.js";
import { Form } from "../../parts/form.js";
import { DUNNING, numberOrNull } from "./dunning-fields.js";
import type { DocumentSettings } from "./invoice-types.js";
import { activeRates } from "./tax-rates.js";

const SESSIONS = "Sessions";
const BILLING = "Billing defaults";
const DOCUMENTS = "Invoices and credit notes";
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
  { name: "billing/draft_hours", label: "Drafts stay open (hours)", group: DOCUMENTS, kind: "number", hint: "An invoice with usage is issued this long after its period, so that late events count. 0 to 72." },
  { name: "billing/invoice_prefix", label: "Prefix of invoices", group: DOCUMENTS, hint: "Numbers are such as INV-000001. A new prefix starts at 1." },
  { name: "billing/credit_note_prefix", label: "Prefix of credit notes", group: DOCUMENTS },
  { name: "billing/yearly_numbers", label: "Numbers start at 1 each year", group: DOCUMENTS, kind: "check" },
  { name: "billing/seller/name", label: "Seller", group: DOCUMENTS, hint: "Documents print the seller as it is when they are issued.", send: orNull },
  { name: "billing/seller/address", label: "Seller's address", group: DOCUMENTS, kind: "area", hint: "At most 6 lines.", send: lines },
  { name: "billing/seller/country", label: "Seller's country", group: DOCUMENTS, hint: "Two letters, such as DE.", send: orNull },
  { name: "billing/seller/tax_id", label: "Seller's tax ID", group: DOCUMENTS, send: orNull },
  { name: "billing/seller/email", label: "Seller's e-mail address", group: DOCUMENTS, send: orNull },
  { name: "billing/seller/note", label: "Seller's note", group: DOCUMENTS, hint: "Printed on every document.", send: orNull },
  { name: "portal/name", label: "Portal name", group: PORTAL, hint: "The name that customers see. Empty means the organization's.", send: orNull },
  { name: "portal/accent", label: "Color", group: PORTAL, hint: "The color of buttons, such as #17734b. White text must be readable on it." },
  { name: "portal/cancel", label: "Cancelling", group: PORTAL, kind: "select", options: [["period_end", "At the end of the paid period"], ["now", "Now"], ["off", "Not in the portal"]] },
  { name: "portal/resume", label: "Customers may resume a cancelled subscription", group: PORTAL, kind: "check" },
  { name: "portal/change", label: "Changing the plan", group: PORTAL, kind: "select", options: [["off", "Not in the portal"], ["link", "At the link of the plan"], ["next_period", "From the next period on"]] },
  { name: "portal/return_origins", label: "Return origins", group: PORTAL, kind: "area", hint: "One per line, such as https://app.example.com.", send: lines },
];

const documentsOf = ({ billing }: Organization): DocumentSettings => billing as unknown as DocumentSettings;

function valuesOf(organization: Organization): Values {
  const { max_sessions, billing, portal } = organization;
  const { seller, ...documents } = documentsOf(organization);
  return {
    max_sessions: max_sessions === null ? "" : String(max_sessions),
    "billing/time_zone": billing.time_zone,
    "billing/payment_terms_days": String(billing.payment_terms_days),
    "billing/dunning/retry_days": billing.dunning.retry_days.join(", "),
    "billing/dunning/grace_days": String(billing.dunning.grace_days),
    "billing/dunning/then": billing.dunning.then,
    "billing/spread_minutes": String(billing.spread_minutes),
    "billing/renewal_notice_days": String(billing.renewal_notice_days),
    "billing/draft_hours": String(documents.draft_hours),
    "billing/invoice_prefix": documents.invoice_prefix,
    "billing/credit_note_prefix": documents.credit_note_prefix,
    "billing/yearly_numbers": documents.yearly_numbers,
    "billing/tax_rate_ids": documents.tax_rate_ids,
    "billing/seller/name": seller?.name ?? "",
    "billing/seller/address": (seller?.address ?? []).join("\n"),
    "billing/seller/country": seller?.country ?? "",
    "billing/seller/tax_id": seller?.tax_id ?? "",
    "billing/seller/email": seller?.email ?? "",
    "billing/seller/note": seller?.note ?? "",
    "portal/name": portal.name ?? "",
    "portal/accent": portal.accent,
    "portal/cancel": portal.cancel,
    "portal/resume": portal.resume,
    "portal/change": portal.change,
    "portal/return_origins": portal.return_origins.join("\n"),
  };
}

/** The fields, with the tax rates that there are. */
function fieldsOf(organization: Organization, rates: readonly TaxRate[]): Field[] {
  const offered = activeRates(rates, documentsOf(organization).tax_rate_ids);
  const at = FIELDS.findIndex(({ group }) => group === DOCUMENTS);
  const field: Field = { name: "billing/tax_rate_ids", label: "Tax rates", group: BILLING, kind: "checks", options: offered, hint: "Of plans and users that have none. At most 4." };
  return offered.length === 0 ? [...FIELDS] : [...FIELDS.slice(0, at), field, ...FIELDS.slice(at)];
}

/** The same to read only. */
export function settingsOf(organization: Organization, rates: readonly TaxRate[]): Term[] {
  const values = valuesOf(organization);
  return fieldsOf(organization, rates).map((field) => [field.label, <span dir="auto">{display(field, values[field.name] ?? "")}</span>]);
}

/** `dunning` is replaced as a whole; the other members are merged. */
function updateOf(body: Record<string, unknown>, base: Organization | undefined): OrganizationUpdate {
  const update = nested(body) as OrganizationUpdate;
  if (base !== undefined && update.billing?.dunning !== undefined) {
    update.billing.dunning = { ...base.billing.dunning, ...update.billing.dunning };
  }
  return update;
}

export function SettingsForm({ organization, rates, saved }: { organization: Organization; rates: readonly TaxRate[]; saved: () => void }) {
  return (
    <Form
      key={answerOf(organization)?.etag}
      fields={fieldsOf(organization, rates)}
      values={valuesOf(organization)}
      submit="Save changes"
      done="Settings saved"
      existing={{ record: organization, read: () => api.organizations.get(), values: valuesOf }}
      save={(body, { base }) => api.organizations.update(updateOf(body, base), { ifMatch: base })}
      saved={saved}
    />
  );
}
