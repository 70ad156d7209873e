// One credit note. It never changes.

import { useState } from "preact/hooks";
import { useLoad } from "../lib/load.js";
import { money } from "../lib/money.js";
import { usersById, userName } from "../lib/names.js";
import { to } from "../lib/router.js";
import { words } from "../lib/words.js";
import { Card, Moment, type Term } from "../parts/basics.js";
import { Problem } from "../parts/problem.js";
import { RecordPage, RecordPending } from "../parts/record.js";
import { Downloads } from "./parts/downloads.js";
import { creditNotes } from "./parts/invoice-api.js";
import { Lines, nameOf, PartyLines, Totals } from "./parts/invoice-rows.js";
import type { CreditNote } from "./parts/invoice-types.js";

const LIST = ["credit-notes", "Credit notes"] as const;

export default function CreditNotePage({ id }: { id: string }) {
  const { data, error, reload } = useLoad(id, async () => {
    const note = await creditNotes.get(id);
    const users = await usersById([note.user_id]);
    return { note, customer: userName(users.get(note.user_id), note.user_id) };
  });
  const [failure, setFailure] = useState<unknown>();
  if (data === undefined) {
    return <RecordPending list={LIST} id={id} error={error} reload={reload} />;
  }
  const { note, customer } = data;
  const after: Term[] = [
    ["Off the amount due", money(note.applied_amount, note.currency)],
    ["To the balance", money(note.balance_amount, note.currency)],
  ];
  return (
    <>
      {failure !== undefined && <Problem error={failure} />}
      <RecordPage list={LIST} id={id} name={nameOf(note)} scope="invoices:read" terms={termsOf(note, customer)} json={note} path={`/credit-notes/${id}`} version={id}>
        <Card title="Lines">
          <Lines document={note} />
        </Card>
        <Card title="Amounts">
          <Totals document={note} after={after} />
          <Downloads path={`/credit-notes/${id}`} name={nameOf(note)} failed={setFailure} />
        </Card>
      </RecordPage>
    </>
  );
}

function termsOf(note: CreditNote, customer: string): Term[] {
  const { invoice_id, invoice_number } = note;
  return [
    ["Customer", <a href={to("users", note.user_id)}>{customer}</a>],
    ["Invoice", invoice_id === null ? (invoice_number ?? "—") : <a href={to("invoices", invoice_id)}>{invoice_number ?? invoice_id}</a>],
    [
      "Subscription",
      <a href={to("subscriptions", note.subscription_id)}>
        <code>{note.subscription_id}</code>
      </a>,
    ],
    ["Reason", <span dir="auto">{note.reason ?? "—"}</span>],
    ["Settlement", words(note.settlement)],
    ["Refund reference", <code>{note.refund_reference ?? "—"}</code>],
    ["Issued", <Moment at={note.issued_at} />],
    ["Seller", <PartyLines party={note.seller} />],
    ["Buyer", <PartyLines party={note.buyer} />],
  ];
}
