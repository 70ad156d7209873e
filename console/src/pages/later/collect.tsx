// Collecting a payment through a connection.

import { caller, type Payment } from "../../lib/api.js";
import { useLoad } from "../../lib/load.js";
import { money } from "../../lib/money.js";
import { can } from "../../lib/session.js";
import { Command } from "../../parts/basics.js";
import { Dialog } from "../../parts/dialog.js";
import { RecordForm } from "../../parts/form.js";
import { Problem } from "../../parts/problem.js";
import { connections } from "../parts/connections.js";

const COLLECT = { id: "collectPayment", method: "POST", path: "/subscription-payments/{id}/collect", access: "client", keyed: true, repeatable: true } as const;

export default function CollectDialog({ payment, close, saved }: { payment: Payment; close: () => void; saved: () => void }) {
  const { data, error, reload } = useLoad("collecting", async () => (can("organization:read") ? (await connections.list({ limit: 200 })).data : []));
  const collecting = (data ?? []).filter(({ collect, is_enabled }) => collect && is_enabled);
  if (error === undefined && data !== undefined && collecting.length > 0) {
    return (
      <RecordForm
        title="Collect payment"
        fields={[
          {
            name: "connection_id",
            label: "Connection",
            kind: "select",
            options: [["", "That of the subscription"], ...collecting.map(({ id, name }): [string, string] => [id, name])],
          },
          { name: "payment_method", label: "Payment method", hint: "Optional: that of the subscription or the customer by default." },
        ]}
        values={{ connection_id: "", payment_method: "" }}
        submit={`Collect ${money(payment.amount, payment.currency)}`}
        done="Payment is being collected"
        save={(body, { idempotencyKey }) => caller.one<Payment>(COLLECT, { path: { id: payment.id }, body }, { idempotencyKey })}
        close={close}
        saved={saved}
      />
    );
  }
  return (
    <Dialog title="Collect payment" close={close}>
      {error !== undefined && <Problem error={error} retry={reload} />}
      {data !== undefined && (
        <>
          <p>No connection collects payments. Allow it on the command line:</p>
          <Command text="perennial connection update CONNECTION --collect" />
        </>
      )}
      <div class="actions">
        <button type="button" data-focus onClick={close}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
