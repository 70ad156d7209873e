// The list of webhook endpoints. The secret of a new one is shown once.

import { useState } from "preact/hooks";
import { type PageOf, type WebhookEndpoint, type WebhookEndpointQuery, type WebhookEndpointWithSecret } from "../lib/api.js";
import { go, to } from "../lib/router.js";
import { Day, Moment, Status } from "../parts/basics.js";
import { RecordForm } from "../parts/form.js";
import { ListPage, type ListQuery } from "../parts/list.js";
import { recordId } from "../parts/rows.js";
import type { Column } from "../parts/table.js";
import { endpointFields, SecretDialog, SIGNATURE, typesText } from "./parts/webhook-fields.js";
import { webhookEndpoints } from "./parts/resources.js";

const COLUMNS: readonly Column<WebhookEndpoint>[] = [
  { name: "URL", show: ({ id, url }) => <a href={to("webhooks", id)}>{url}</a>, text: ({ url }) => url },
  { name: "Types", show: ({ types }) => <span title={types.join(", ")}>{typesText(types)}</span>, text: ({ types }) => types.join(" ") },
  { name: "State", show: ({ state }) => <Status value={state} />, text: ({ state }) => state },
  {
    name: "Oldest undelivered",
    show: ({ oldest_undelivered_at }) => <Moment at={oldest_undelivered_at} />,
    text: ({ oldest_undelivered_at }) => oldest_undelivered_at,
  },
  { name: "Description", show: ({ description }) => description || "—", text: ({ description }) => description },
  { name: "Created", show: ({ created_at }) => <Day at={created_at} />, text: ({ created_at }) => created_at },
];

const load = (query: ListQuery): Promise<PageOf<WebhookEndpoint>> => webhookEndpoints.list(query as unknown as WebhookEndpointQuery);

export default function Webhooks() {
  const [isOpen, setOpen] = useState(false);
  const [created, setCreated] = useState<WebhookEndpointWithSecret>();
  const button = (
    <button type="button" class="primary" onClick={() => setOpen(true)}>
      New endpoint
    </button>
  );
  return (
    <>
      <ListPage
        name="Webhooks"
        columns={COLUMNS}
        id={recordId}
        load={load}
        actions={button}
        empty={<p>Endpoints that receive events appear here. Create one to send every change to your server.</p>}
      />
      {isOpen && (
        <RecordForm
          title="New endpoint"
          fields={[...endpointFields(), SIGNATURE]}
          values={{ url: "", description: "", types: "*", payload: "full", signature: "hmac" }}
          submit="Create endpoint"
          done="Endpoint created"
          save={(body) => webhookEndpoints.create(body as never)}
          close={() => setOpen(false)}
          saved={(endpoint) => {
            setOpen(false);
            setCreated(endpoint as WebhookEndpointWithSecret);
          }}
        />
      )}
      {created !== undefined && <SecretDialog endpoint={created} close={() => go(to("webhooks", created.id))} />}
    </>
  );
}
