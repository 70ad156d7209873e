// One client: what it may do, and disabling it.

import { useState } from "preact/hooks";
import { answerOf } from "../lib/api.js";
import { useLoad } from "../lib/load.js";
import { Command, Moment, Status, type Term } from "../parts/basics.js";
import { Confirm } from "../parts/confirm.js";
import { RecordForm } from "../parts/form.js";
import { RecordPage, RecordPending } from "../parts/record.js";
import { clientFields, clientState, clientValues } from "./parts/client-fields.js";
import { clients } from "./parts/resources.js";

const LIST = ["clients", "Clients"] as const;

export default function ClientPage({ id }: { id: string }) {
  const { data: client, error, reload } = useLoad(id, () => clients.get(id));
  const [dialog, setDialog] = useState("");
  if (client === undefined) {
    return <RecordPending list={LIST} id={id} error={error} reload={reload} />;
  }
  const close = (): void => setDialog("");
  const saved = (): void => {
    close();
    reload();
  };
  const terms: Term[] = [
    ["Kind", client.kind],
    ["Client ID", client.client_id === null ? "A credential, which is not stored" : <code>{client.client_id}</code>],
    ["Scopes", client.scopes.join(", ") || "—"],
    ["Origins", client.origins.join(", ") || "—"],
    ["Address ranges", client.cidrs.join(", ") || "—"],
    ["Expires", <Moment at={client.expires_at} />],
    ["Disabled", <Moment at={client.disabled_at} />],
    ["Created", <Moment at={client.created_at} />],
  ];
  const actions = client.is_active && (
    <>
      <button type="button" data-key="e" onClick={() => setDialog("edit")}>
        Edit
      </button>
      <button type="button" class="danger" onClick={() => setDialog("disable")}>
        Disable
      </button>
    </>
  );
  return (
    <>
      <RecordPage
        list={LIST}
        id={id}
        name={client.name}
        badge={<Status value={clientState(client)} />}
        actions={actions}
        scope="clients:write"
        terms={terms}
        json={client}
        path={`/clients/${id}`}
        version={answerOf(client)?.etag ?? ""}
      >
        {client.kind === "trusted" && client.is_active && <Command text={`perennial client rotate ${id}`} />}
      </RecordPage>
      {dialog === "edit" && (
        <RecordForm
          title="Edit client"
          fields={clientFields(client.kind)}
          values={clientValues(client)}
          submit="Save changes"
          done="Client changed"
          existing={{ record: client, read: () => clients.get(id), values: clientValues }}
          save={(body, { base }) => clients.update(id, body, { ifMatch: base })}
          close={close}
          saved={saved}
        />
      )}
      {dialog === "disable" && (
        <Confirm
          title="Disable client"
          button="Disable client"
          keep="Keep client"
          done="Client disabled"
          act={() => clients.update(id, { is_active: false }, { ifMatch: client })}
          close={close}
          saved={saved}
        >
          <p dir="auto">{client.name} stops working within five seconds. It can be enabled again only with the command line.</p>
        </Confirm>
      )}
    </>
  );
}
