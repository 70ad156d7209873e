// What documents print about a user, and the user's balance with its ledger.

import { useState } from "preact/hooks";
import type { BillingProfile, Credit, TaxRate } from "../../lib/api.js";
import { useLoad } from "../../lib/load.js";
import { money, plus } from "../../lib/money.js";
import { to } from "../../lib/router.js";
import { can, currentSession } from "../../lib/session.js";
import { pageOf, words } from "../../lib/words.js";
import { Moment, Terms, type Term } from "../../parts/basics.js";
import { lines, orNull, type Field, type Values } from "../../parts/fields.js";
import { RecordForm } from "../../parts/form.js";
import { Problem } from "../../parts/problem.js";
import { PagedPanel, recordId } from "../../parts/rows.js";
import type { Column } from "../../parts/table.js";
import { billingProfiles, credits } from "./resources.js";
import { activeRates, allTaxRates, rateName } from "./tax-rates.js";

interface PanelProps {
  id: string;
  version: string;
  saved: () => void;
}

const LOCALES: readonly (readonly [string, string])[] = [
  ["", "The organization's language"],
  ["en", "English"],
  ["de", "German"],
  ["fr", "French"],
  ["es", "Spanish"],
  ["ja", "Japanese"],
];

function valuesOf(profile: BillingProfile): Values {
  return {
    name: profile.name ?? "",
    email: profile.email ?? "",
    address: profile.address.join("\n"),
    country: profile.country ?? "",
    tax_id: profile.tax_id ?? "",
    tax_exempt: profile.tax_exempt,
    tax_rate_ids: profile.tax_rate_ids,
    locale: profile.locale ?? "",
    note: profile.note ?? "",
  };
}

function fieldsOf(profile: BillingProfile, rates: readonly TaxRate[]): Field[] {
  const offered = activeRates(rates, profile.tax_rate_ids);
  const fields: Field[] = [
    { name: "name", label: "Name", send: orNull },
    { name: "email", label: "E-mail address for documents", send: orNull },
    { name: "address", label: "Address", kind: "area", hint: "At most 6 lines.", send: lines },
    { name: "country", label: "Country", hint: "Two letters, such as DE.", send: orNull },
    { name: "tax_id", label: "Tax ID", send: orNull },
    { name: "tax_exempt", label: "Exempt from tax", kind: "check" },
    { name: "locale", label: "Language of documents", kind: "select", options: LOCALES, send: orNull },
    { name: "note", label: "Note", hint: "Documents print it, such as Reverse charge.", send: orNull },
  ];
  return offered.length === 0 ? fields : [...fields, { name: "tax_rate_ids", label: "Tax rates", kind: "checks", options: offered, hint: "In place of those of the plan. None means the plan's." }];
}

export function BillingProfilePanel({ id, version, saved }: PanelProps) {
  const { data, error, reload } = useLoad(`profile ${version}`, async () => {
    const [profile, rates] = await Promise.all([billingProfiles.get(id), allTaxRates()]);
    return { profile, rates };
  });
  const [isOpen, setOpen] = useState(false);
  if (error !== undefined) {
    return <Problem error={error} retry={reload} />;
  }
  if (data === undefined) {
    return null;
  }
  const { profile, rates } = data;
  const text = (value: string | null) => <span dir="auto">{value ?? "—"}</span>;
  const terms: Term[] = [
    ["Name", text(profile.name)],
    ["E-mail address", text(profile.email)],
    ["Address", profile.address.length === 0 ? "—" : profile.address.map((line, at) => <div key={at} dir="auto">{line}</div>)],
    ["Country", text(profile.country)],
    ["Tax ID", text(profile.tax_id)],
    ["Tax", profile.tax_exempt ? "Exempt" : profile.tax_rate_ids.length === 0 ? "As the plan" : profile.tax_rate_ids.map((rate) => rateName(rates, rate)).join(", ")],
    ["Language", LOCALES.find(([locale]) => locale === (profile.locale ?? ""))?.[1] ?? profile.locale],
    ["Note", text(profile.note)],
  ];
  return (
    <>
      <Terms terms={terms} />
      {can("invoices:write") && (
        <div class="actions after">
          <button type="button" onClick={() => setOpen(true)}>
            Change billing profile
          </button>
        </div>
      )}
      {isOpen && (
        <RecordForm
          title="Change billing profile"
          fields={fieldsOf(profile, rates)}
          values={valuesOf(profile)}
          submit="Save changes"
          done="Billing profile changed"
          existing={{ record: profile, read: () => billingProfiles.get(id), values: valuesOf }}
          save={(body, { base }) => billingProfiles.update(id, body, { ifMatch: base })}
          close={() => setOpen(false)}
          saved={() => {
            setOpen(false);
            saved();
          }}
        />
      )}
    </>
  );
}

const LEDGER: readonly Column<Credit>[] = [
  { name: "Amount", isNumber: true, show: ({ amount, currency }) => money(amount, currency), text: ({ amount }) => amount },
  { name: "Reason", show: ({ reason }) => words(reason), text: ({ reason }) => reason },
  { name: "Record", show: ({ record_id }) => <RecordLink id={record_id} />, text: ({ record_id }) => record_id },
  { name: "Description", show: ({ description }) => <span title={description ?? ""}>{description ?? "—"}</span>, text: ({ description }) => description },
  { name: "Time", show: ({ created_at }) => <Moment at={created_at} />, text: ({ created_at }) => created_at },
];

function RecordLink({ id }: { id: string | null }) {
  const page = id === null ? undefined : pageOf(id);
  return page === undefined || id === null ? <>{id ?? "—"}</> : (
    <a href={to(page, id)}>
      <code>{id}</code>
    </a>
  );
}

export function BalancePanel({ id, name, version, saved }: PanelProps & { name: string }) {
  const { data: profile, error, reload } = useLoad(`balance ${version}`, () => billingProfiles.get(id));
  const [isOpen, setOpen] = useState(false);
  if (error !== undefined) {
    return <Problem error={error} retry={reload} />;
  }
  if (profile === undefined) {
    return null;
  }
  const { balances } = profile;
  return (
    <>
      {balances.length > 0 && <Terms terms={balances.map(({ currency, amount }) => [currency, <strong>{money(amount, currency)}</strong>])} />}
      {can("invoices:write") && (
        <div class="actions after">
          <button type="button" onClick={() => setOpen(true)}>
            Adjust balance
          </button>
        </div>
      )}
      <div class="after">
        <PagedPanel
          name="Ledger"
          version={version}
          load={(cursor) => credits.list(id, { limit: 25, cursor })}
          columns={LEDGER}
          id={recordId}
          empty="The balance is zero and was never changed."
        />
      </div>
      {isOpen && (
        <AdjustBalance
          id={id}
          name={name}
          balances={balances}
          close={() => setOpen(false)}
          saved={() => {
            setOpen(false);
            saved();
          }}
        />
      )}
    </>
  );
}

const ADJUSTMENT: readonly Field[] = [
  { name: "amount", label: "Amount", kind: "number", hint: "Added to the balance. Negative to take from it." },
  { name: "currency", label: "Currency" },
  { name: "description", label: "Description", hint: "Optional. No personal data: events contain it.", send: orNull },
];

interface AdjustProps {
  id: string;
  name: string;
  balances: BillingProfile["balances"];
  close: () => void;
  saved: () => void;
}

function AdjustBalance({ id, name, balances, close, saved }: AdjustProps) {
  /** Before and after; undefined if what was typed is no amount. The API decides. */
  const preview = (values: Values): string | undefined => {
    const [amount, currency] = [String(values["amount"]).trim(), String(values["currency"]).trim().toUpperCase()];
    if (!/^-?\d{1,9}(\.\d{1,4})?$/.test(amount) || !/^[A-Z]{3}$/.test(currency)) {
      return undefined;
    }
    const before = balances.find((known) => known.currency === currency)?.amount ?? 0;
    return `${money(before, currency)} → ${money(plus(before, Number(amount)), currency)}`;
  };
  return (
    <RecordForm
      title="Adjust balance"
      fields={ADJUSTMENT}
      values={{ amount: "", currency: balances[0]?.currency ?? currentSession()?.organization.currency ?? "USD", description: "" }}
      submit="Continue"
      done="Balance adjusted"
      question={(values) => ({
        button: "Adjust balance",
        text: (
          <>
            <p dir="auto">{name}</p>
            <p>
              Balance: <strong>{preview(values) ?? "the amount or currency may not be valid"}</strong>
            </p>
            <p>The next invoices use the balance. The ledger keeps this entry; only another adjustment takes it back.</p>
          </>
        ),
      })}
      save={(body, { idempotencyKey }) => credits.create(id, body as never, { idempotencyKey })}
      close={close}
      saved={saved}
    />
  );
}
