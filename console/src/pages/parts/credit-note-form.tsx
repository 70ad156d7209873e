// The form of a credit note: an amount of the invoice, or amounts of its lines.

import { money, plus } from "../../lib/money.js";
import { type Field, type Value, type Values } from "../../parts/fields.js";
import { RecordForm } from "../../parts/form.js";
import { creditWords } from "./credit-note-words.js";
import { creditNotes } from "./invoice-api.js";
import { nameOf } from "./invoice-rows.js";
import type { CreditNote, Invoice } from "./invoice-types.js";

const byLines = ({ of }: Values): boolean => of === "lines";
const number = (value: Value): unknown => (value !== "" && Number.isFinite(Number(value)) ? Number(value) : value);

function fieldsOf({ lines, currency, status }: Invoice): Field[] {
  const positive = lines.map((line, at) => ({ line, at })).filter(({ line }) => line.amount > 0);
  return [
    {
      name: "of",
      label: "Credit",
      kind: "select",
      options: [
        ["amount", "An amount of the invoice"],
        ["lines", "Amounts of its lines"],
      ],
      send: () => undefined,
    },
    { name: "amount", label: "Amount", kind: "number", hint: "Before exclusive tax, including inclusive tax. The tax of it is credited too.", when: (values) => !byLines(values) },
    ...positive.map(({ line, at }): Field => ({
      name: `line-${at}`,
      label: `${line.description}: ${money(plus(line.amount, -(line.discount ?? 0)), currency)}`,
      kind: "number",
      when: byLines,
      send: () => undefined,
    })),
    { name: "reason", label: "Reason", hint: "Optional. The document prints it." },
    {
      name: "settlement",
      label: "Settlement",
      hint: status === "paid" ? undefined : "Of what remains after the invoice is paid by the note.",
      kind: "select",
      options: [
        ["balance", "Goes to the customer's balance"],
        ["refund", "Was refunded"],
      ],
    },
    { name: "refund_reference", label: "Refund reference", hint: "Optional: the refund at your payment provider.", when: ({ settlement }) => settlement === "refund" },
  ];
}

/** The lines that have an amount. */
function linesOf(values: Values): { line: number; amount: unknown }[] {
  return Object.entries(values)
    .filter(([name, value]) => name.startsWith("line-") && value !== "")
    .map(([name, value]) => ({ line: Number(name.slice(5)), amount: number(value) }));
}

export function NewCreditNote({ invoice, close, saved }: { invoice: Invoice; close: () => void; saved: (note: CreditNote) => void }) {
  const values: Values = {
    of: "amount",
    amount: "",
    ...Object.fromEntries(invoice.lines.map((_, at) => [`line-${at}`, ""])),
    reason: "",
    settlement: "balance",
    refund_reference: "",
  };
  return (
    <RecordForm
      title="New credit note"
      fields={fieldsOf(invoice)}
      values={values}
      submit="Continue"
      done="Credit note created"
      question={(typed) => {
        const credit = creditWords(byLines(typed) ? linesOf(typed).map(({ amount }) => amount) : [typed["amount"]], invoice.currency, byLines(typed));
        const text = (
          <p>
            {credit} of invoice {nameOf(invoice)} is credited, with its tax. A credit note has a number and cannot be changed or deleted.
          </p>
        );
        return credit === undefined ? undefined : { button: "Create credit note", text };
      }}
      save={(body, { idempotencyKey, values: typed }) =>
        creditNotes.create({ ...body, invoice_id: invoice.id, ...(byLines(typed) ? { lines: linesOf(typed) } : {}) }, { idempotencyKey })
      }
      close={close}
      saved={(note) => saved(note as CreditNote)}
    />
  );
}
