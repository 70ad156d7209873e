// One payment, and the change of its status.

import { useState } from "preact/hooks";
import { answerOf, api, type Payment } from "../lib/api.js";
import { useLoad } from "../lib/load.js";
import { money } from "../lib/money.js";
import { to } from "../lib/router.js";
import { nextOfPayment } from "../lib/statuses.js";
import { Moment, Status, type Term } from "../parts/basics.js";
import { choices, type Field, type Values } from "../parts/fields.js";
import { RecordForm } from "../parts/form.js";
import { Later } from "../parts/later.js";
import { RecordPage, RecordPending } from "../parts/record.js";
import { invoiceOf } from "./parts/invoice-types.js";

const LIST = ["payments", "Payments"] as const;
const collect = () => import("./later/collect.js");

const valuesOf = ({ status }: Payment): Values => ({ status });

export default function PaymentPage({ id }: { id: string }) {
  const { data: payment, error, reload } = useLoad(id, () => api.payments.get(id));
  const [dialog, setDialog] = useState("");
  if (payment === undefined) {
    return <RecordPending list={LIST} id={id} error={error} reload={reload} />;
  }
  const invoiceId = invoiceOf(payment);
  const next = nextOfPayment(payment.status);
  const fields: Field[] = [{ name: "status", label: "Status", kind: "select", options: choices([payment.status, ...next]) }];
  const terms: Term[] = [
    ["Amount", money(payment.amount, payment.currency)],
    ["Currency", payment.currency],
    ["Paid", <Moment at={payment.date} />],
    ["Created", <Moment at={payment.created_at} />],
    [
      "Subscription",
      <a href={to("subscriptions", payment.subscription_id)}>
        <code>{payment.subscription_id}</code>
      </a>,
    ],
    [
      "Invoice",
      invoiceId === null ? (
        "—"
      ) : (
        <a href={to("invoices", invoiceId)}>
          <code>{invoiceId}</code>
        </a>
      ),
    ],
    ["External ID", <code>{payment.external_payment_id ?? "—"}</code>],
  ];
  const close = (): void => setDialog("");
  const saved = (): void => {
    close();
    reload();
  };
  return (
    <>
      <RecordPage
        list={LIST}
        id={id}
        name={money(payment.amount, payment.currency)}
        badge={<Status value={payment.status} />}
        actions={
          <>
            {["pending", "failed"].includes(payment.status) && (
              <button type="button" onClick={() => setDialog("collect")}>
                Collect
              </button>
            )}
            {next.length > 0 && (
              <button type="button" data-key="e" onClick={() => setDialog("status")}>
                Change status
              </button>
            )}
          </>
        }
        scope="payments:write"
        terms={terms}
        json={payment}
        path={`/subscription-payments/${id}`}
        version={answerOf(payment)?.etag ?? ""}
      />
      {dialog === "collect" && <Later load={collect} props={{ payment, close, saved }} />}
      {dialog === "status" && (
        <RecordForm
          title="Change status"
          fields={fields}
          values={valuesOf(payment)}
          submit="Save changes"
          done="Status changed"
          existing={{ record: payment, read: () => api.payments.get(id), values: valuesOf }}
          save={(body, { base }) => api.payments.update(id, body, { ifMatch: base })}
          close={close}
          saved={saved}
        />
      )}
    </>
  );
}
