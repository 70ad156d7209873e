// The list of clients. A trusted client is created with the command line: its credential never reaches a browser.

import { useState } from "preact/hooks";
import { type Client, type ClientQuery, type PageOf } from "../lib/api.js";
import { go, to } from "../lib/router.js";
import { Card, Command, Day, Status } from "../parts/basics.js";
import { RecordForm } from "../parts/form.js";
import { ListPage, type ListQuery } from "../parts/list.js";
import { recordId } from "../parts/rows.js";
import type { Column } from "../parts/table.js";
import { clientFields, clientState, PUBLIC_SCOPES } from "./parts/client-fields.js";
import { clients } from "./parts/resources.js";

const COLUMNS: readonly Column<Client>[] = [
  { name: "Name", show: ({ id, name }) => <a href={to("clients", id)}>{name}</a>, text: ({ name }) => name },
  { name: "Kind", show: ({ kind }) => kind, text: ({ kind }) => kind },
  { name: "State", show: (client) => <Status value={clientState(client)} />, text: clientState },
  { name: "Scopes", show: ({ scopes }) => <span title={scopes.join(", ")}>{scopes.length > 3 ? `${scopes.length} scopes` : scopes.join(", ") || "—"}</span>, text: ({ scopes }) => scopes.join(" ") },
  { name: "Origins", show: ({ origins }) => origins.join(", ") || "—", text: ({ origins }) => origins.join(" ") },
  { name: "Address ranges", show: ({ cidrs }) => cidrs.join(", ") || "—", text: ({ cidrs }) => cidrs.join(" ") },
  { name: "Expires", show: ({ expires_at }) => <Day at={expires_at} />, text: ({ expires_at }) => expires_at },
];

const load = (query: ListQuery): Promise<PageOf<Client>> => clients.list(query as unknown as ClientQuery);

export default function Clients() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <ListPage
        name="Clients"
        columns={COLUMNS}
        id={recordId}
        load={load}
        actions={
          <button type="button" class="primary" onClick={() => setOpen(true)}>
            New public client
          </button>
        }
        empty={<p>Applications that call the API appear here.</p>}
      />
      <Card title="New trusted client" className="after">
        <p>The ID of a trusted client is a credential. Create it on the server:</p>
        <Command text="perennial client create --name my-server --kind trusted --scope subscriptions:read --scope subscriptions:write" />
      </Card>
      {isOpen && (
        <RecordForm
          title="New public client"
          fields={[...clientFields("public"), { name: "client_id", label: "Client ID", hint: "3 to 64 characters. Generated if empty." }]}
          values={{ name: "", scopes: PUBLIC_SCOPES, origins: "", client_id: "" }}
          submit="Create client"
          done="Client created"
          save={(body) => clients.create({ ...body, kind: "public" } as never)}
          close={() => setOpen(false)}
          saved={(client) => go(to("clients", (client as Client).id))}
        />
      )}
    </>
  );
}
