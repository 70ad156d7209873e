// One invoice: lines, taxes, what is due, and what can be done with it.

import { useState } from "preact/hooks";
import { answerOf, api, guarded } from "../lib/api.js";
import { useLoad } from "../lib/load.js";
import { money } from "../lib/money.js";
import { usersById, userName } from "../lib/names.js";
import { go, to } from "../lib/router.js";
import { announce, can } from "../lib/session.js";
import { words } from "../lib/words.js";
import { Card, Day, Moment, type Term } from "../parts/basics.js";
import { Confirm } from "../parts/confirm.js";
import { Problem } from "../parts/problem.js";
import { RecordPage, RecordPending } from "../parts/record.js";
import { paymentColumns, recordId, TablePanel } from "../parts/rows.js";
import { NewCreditNote } from "./parts/credit-note-form.js";
import { Downloads } from "./parts/downloads.js";
import { creditNotes, invoices } from "./parts/invoice-api.js";
import { creditNoteColumns, InvoiceStatus, Lines, nameOf, PartyLines, Totals } from "./parts/invoice-rows.js";
import { invoiceOf, type Invoice } from "./parts/invoice-types.js";
import { RecordPayment } from "./parts/record-payment.js";

const LIST = ["invoices", "Invoices"] as const;

export default function InvoicePage({ id }: { id: string }) {
  const { data, error, reload } = useLoad(id, async () => {
    const invoice = await invoices.get(id);
    const users = await usersById([invoice.user_id]);
    return { invoice, customer: userName(users.get(invoice.user_id), invoice.user_id) };
  });
  const [dialog, setDialog] = useState("");
  const [round, setRound] = useState(0);
  const [failure, setFailure] = useState<unknown>();
  if (data === undefined) {
    return <RecordPending list={LIST} id={id} error={error} reload={reload} />;
  }
  const { invoice, customer } = data;
  const close = (): void => setDialog("");
  const saved = (): void => {
    close();
    setFailure(undefined);
    setRound(round + 1);
    reload();
  };
  const act = async (call: () => Promise<unknown>, done: string): Promise<void> => {
    try {
      await guarded(call);
      announce(done);
      saved();
    } catch (problem) {
      setFailure(problem);
    }
  };
  const name = nameOf(invoice);
  const version = `${id} ${answerOf(invoice)?.etag} ${round}`;
  return (
    <>
      {failure !== undefined && <Problem error={failure} retry={saved} />}
      <RecordPage
        list={LIST}
        id={id}
        name={name}
        badge={<InvoiceStatus {...invoice} />}
        actions={<Actions invoice={invoice} open={setDialog} finalize={() => void act(() => invoices.finalize(id), "Invoice finalized")} />}
        scope="invoices:write"
        terms={termsOf(invoice, customer)}
        tabs={[
          ["Payments", () => <Payments invoice={invoice} version={version} />],
          ["Credit notes", () => <CreditNotes id={id} version={version} />],
        ]}
        json={invoice}
        path={`/invoices/${id}`}
        version={version}
      >
        <Card title="Lines">
          <Lines document={invoice} />
        </Card>
        <Card title="Amounts">
          <Totals document={invoice} after={afterTotal(invoice)} />
          {invoice.issued_at !== null && <Downloads path={`/invoices/${id}`} name={name} failed={setFailure} />}
        </Card>
      </RecordPage>
      {dialog === "void" && (
        <Confirm title="Void invoice" button="Void invoice" keep="Keep invoice" done="Invoice voided" act={() => invoices.void(id)} close={close} saved={saved}>
          <p>
            Invoice {name} is no longer due. Its number remains used, and the period that it bills is not billed again. Applied credit returns to the balance. This cannot be undone.
          </p>
        </Confirm>
      )}
      {dialog === "uncollectible" && (
        <Confirm
          title="Mark uncollectible"
          button="Mark uncollectible"
          keep="Keep invoice open"
          done="Invoice marked uncollectible"
          act={() => invoices.markUncollectible(id)}
          close={close}
          saved={saved}
        >
          <p>No more attempts are made to collect {money(invoice.amount_due, invoice.currency)}. A later payment still counts.</p>
        </Confirm>
      )}
      {dialog === "delete" && (
        <Confirm title="Delete draft" button="Delete draft" keep="Keep draft" done="Draft deleted" act={() => invoices.delete(id)} close={close} saved={() => go(to("invoices"))}>
          <p>The draft is deleted and cannot be restored.</p>
        </Confirm>
      )}
      {dialog === "payment" && <RecordPayment invoice={invoice} close={close} saved={saved} />}
      {dialog === "note" && <NewCreditNote invoice={invoice} close={close} saved={({ id: note }) => go(to("credit-notes", note))} />}
    </>
  );
}

function Actions({ invoice: { status, kind }, open, finalize }: { invoice: Invoice; open: (dialog: string) => void; finalize: () => void }) {
  const isOwed = status === "open" || status === "uncollectible";
  const button = (name: string, act: () => void, look = "") => (
    <button type="button" class={look} onClick={act}>
      {name}
    </button>
  );
  return (
    <>
      {status === "draft" && button("Finalize", finalize, "primary")}
      {status === "draft" && kind === "one_off" && button("Delete", () => open("delete"), "danger")}
      {isOwed && can("payments:write") && button("Record payment", () => open("payment"), "primary")}
      {(isOwed || status === "paid") && button("New credit note", () => open("note"))}
      {status === "open" && button("Mark uncollectible", () => open("uncollectible"))}
      {isOwed && button("Void", () => open("void"), "danger")}
    </>
  );
}

function afterTotal({ currency, credit_applied, amount_paid, amount_credited, amount_due, status }: Invoice): Term[] {
  const part = (name: string, amount: number): Term[] => (amount === 0 ? [] : [[name, money(-amount, currency)]]);
  const due: Term[] = status === "draft" ? [] : [["Amount due", <strong>{money(amount_due, currency)}</strong>]];
  return [...part("From the balance", credit_applied), ...part("Paid", amount_paid), ...part("Credited", amount_credited), ...due];
}

function termsOf(invoice: Invoice, customer: string): Term[] {
  const { next_action, next_action_at, attempts, overdue, period_start, period_end, coupon_id } = invoice;
  const terms: (Term | false)[] = [
    ["Customer", <a href={to("users", invoice.user_id)}>{customer}</a>],
    [
      "Subscription",
      <a href={to("subscriptions", invoice.subscription_id)}>
        <code>{invoice.subscription_id}</code>
      </a>,
    ],
    ["Kind", words(invoice.kind)],
    period_start !== null && period_end !== null && ["Period", <><Day at={period_start} /> – <Day at={period_end} /></>],
    invoice.status === "draft" && ["Will be issued", <Moment at={invoice.finalizes_at} />],
    ["Issued", <Moment at={invoice.issued_at} />],
    ["Due", <Moment at={invoice.due_at} />],
    ["Paid", <Moment at={invoice.paid_at} />],
    ["Collection", invoice.collection === null ? "—" : words(invoice.collection)],
    invoice.collection === "automatic" && ["Attempts to collect", attempts],
    ["Overdue", overdue ? "Yes" : "No"],
    ["Next action", next_action === null ? "None" : <>{words(next_action)}, <Moment at={next_action_at} /></>],
    coupon_id !== null && ["Coupon", <a href={to("coupons", coupon_id)}><code>{coupon_id}</code></a>],
    invoice.memo !== null && ["Memo", <span dir="auto">{invoice.memo}</span>],
    invoice.seller !== null && ["Seller", <PartyLines party={invoice.seller} />],
    invoice.buyer !== null && ["Buyer", <PartyLines party={invoice.buyer} />],
  ];
  return terms.filter((term) => term !== false);
}

/** Payments are listed by subscription. */
function Payments({ invoice, version }: { invoice: Invoice; version: string }) {
  const load = async () => {
    const { data } = await api.payments.list({ subscription_id: invoice.subscription_id, limit: 200 });
    return data.filter((payment) => invoiceOf(payment) === invoice.id);
  };
  return <TablePanel name="Payments" version={version} load={load} columns={paymentColumns.filter(({ name }) => name !== "Subscription" && name !== "Invoice")} id={recordId} empty="No payments are recorded for this invoice." />;
}

function CreditNotes({ id, version }: { id: string; version: string }) {
  const load = async () => (await creditNotes.list({ invoice_id: id, limit: 50 })).data;
  return <TablePanel name="Credit notes" version={version} load={load} columns={creditNoteColumns.filter(({ name }) => name !== "Invoice")} id={recordId} empty="Nothing of this invoice is credited." />;
}
