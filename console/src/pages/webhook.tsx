// One webhook endpoint: its state, what was sent to it, and what was not delivered.

import { useState } from "preact/hooks";
import { answerOf, guarded, type WebhookEndpoint, type WebhookEndpointWithSecret } from "../lib/api.js";
import { useLoad } from "../lib/load.js";
import { plural } from "../lib/money.js";
import { announce } from "../lib/session.js";
import { words } from "../lib/words.js";
import { Moment, Status, type Term } from "../parts/basics.js";
import { Confirm } from "../parts/confirm.js";
import { RecordForm } from "../parts/form.js";
import { Problem } from "../parts/problem.js";
import { RecordPage, RecordPending } from "../parts/record.js";
import { Attempts, Undelivered } from "./parts/webhook-deliveries.js";
import { endpointFields, endpointValues, SecretDialog } from "./parts/webhook-fields.js";
import { webhookEndpoints } from "./parts/resources.js";

const LIST = ["webhooks", "Webhooks"] as const;

const OVERLAP = {
  name: "overlap_seconds",
  label: "Old secrets continue to sign for",
  kind: "select",
  options: [
    ["86400", "1 day"],
    ["604800", "7 days"],
    ["3600", "1 hour"],
    ["0", "No time: they end now"],
  ],
  hint: "Time to change the secret on your server.",
  send: Number,
} as const;

export default function WebhookPage({ id }: { id: string }) {
  const { data: endpoint, error, reload } = useLoad(id, () => webhookEndpoints.get(id));
  const [dialog, setDialog] = useState("");
  const [rotated, setRotated] = useState<WebhookEndpointWithSecret>();
  const [round, setRound] = useState(0);
  const [failure, setFailure] = useState<unknown>();
  if (endpoint === undefined) {
    return <RecordPending list={LIST} id={id} error={error} reload={reload} />;
  }
  const close = (): void => setDialog("");
  const refresh = (): void => {
    setFailure(undefined);
    setRound((before) => before + 1);
    reload();
  };
  const saved = (): void => {
    close();
    refresh();
  };
  /** Acts at once, and announces the result. */
  const act = async <T,>(call: () => Promise<T>, done: (result: T) => string): Promise<void> => {
    try {
      announce(done(await guarded(call)));
      refresh();
    } catch (problem) {
      setFailure(problem);
    }
  };
  const ping = (): Promise<void> =>
    act(
      () => webhookEndpoints.ping(id, {}),
      ({ outcome, status, error: cause }) => `Test event ${outcome}: ${status ?? words(cause ?? "")}`,
    );
  const retry = (): Promise<void> =>
    act(
      () => webhookEndpoints.retry(id, { since: "1970-01-01T00:00:00Z" }),
      ({ queued }) => `${plural(queued, "event")} queued`,
    );
  const resend = (eventId: string): void => {
    void act(
      () => webhookEndpoints.retry(id, { event_id: eventId }),
      () => "Event queued",
    );
  };
  const enable = (): Promise<void> =>
    act(
      () => webhookEndpoints.update(id, { is_active: true }, { ifMatch: endpoint }),
      () => "Endpoint enabled",
    );
  const actions = (
    <>
      <button type="button" onClick={() => void ping()}>
        Send test event
      </button>
      <button type="button" data-key="e" onClick={() => setDialog("edit")}>
        Edit
      </button>
      <button type="button" onClick={() => setDialog("rotate")}>
        Rotate secret
      </button>
      {endpoint.is_active ? (
        <>
          <button type="button" onClick={() => void retry()}>
            Retry undelivered
          </button>
          <button type="button" class="danger" onClick={() => setDialog("disable")}>
            Disable
          </button>
        </>
      ) : (
        <button type="button" class="primary" onClick={() => void enable()}>
          Enable
        </button>
      )}
    </>
  );
  const deliveries = { id, version: String(round), resend: endpoint.is_active ? resend : undefined };
  return (
    <>
      {failure !== undefined && <Problem error={failure} retry={refresh} />}
      <RecordPage
        list={LIST}
        id={id}
        name={endpoint.url}
        badge={<Status value={endpoint.state} />}
        actions={actions}
        scope="webhooks:write"
        terms={termsOf(endpoint)}
        tabs={[
          ["Attempts", () => <Attempts {...deliveries} />],
          ["Undelivered", () => <Undelivered {...deliveries} />],
        ]}
        json={endpoint}
        path={`/webhook-endpoints/${id}`}
        version={`${answerOf(endpoint)?.etag} ${round}`}
      />
      {dialog === "edit" && (
        <RecordForm
          title="Edit endpoint"
          fields={endpointFields()}
          values={endpointValues(endpoint)}
          submit="Save changes"
          done="Endpoint changed"
          existing={{ record: endpoint, read: () => webhookEndpoints.get(id), values: endpointValues }}
          save={(body, { base }) => webhookEndpoints.update(id, body, { ifMatch: base })}
          close={close}
          saved={saved}
        />
      )}
      {dialog === "rotate" && (
        <RecordForm
          title="Rotate secret"
          fields={[OVERLAP]}
          values={{ overlap_seconds: "86400" }}
          submit="Rotate secret"
          done="Secret rotated"
          save={(body) => webhookEndpoints.rotateSecret(id, body, { ifMatch: endpoint })}
          close={close}
          saved={(result) => {
            setRotated(result as WebhookEndpointWithSecret);
            saved();
          }}
        />
      )}
      {rotated !== undefined && <SecretDialog endpoint={rotated} close={() => setRotated(undefined)} />}
      {dialog === "disable" && (
        <Confirm
          title="Disable endpoint"
          button="Disable endpoint"
          keep="Keep endpoint"
          done="Endpoint disabled"
          act={() => webhookEndpoints.update(id, { is_active: false }, { ifMatch: endpoint })}
          close={close}
          saved={saved}
        >
          <p dir="auto">Nothing is sent to {endpoint.url} until you enable it. Then it continues where it stopped.</p>
        </Confirm>
      )}
    </>
  );
}

function termsOf(endpoint: WebhookEndpoint): Term[] {
  return [
    ["Description", <span dir="auto">{endpoint.description || "—"}</span>],
    ["Event types", endpoint.types.join(", ")],
    ["Payload", words(endpoint.payload)],
    ["Signature", endpoint.signature === "hmac" ? "HMAC-SHA256" : "Ed25519"],
    ...endpoint.public_keys.map((key, at): Term => [at === 0 ? "Public key" : `Public key ${at + 1}`, <code>{key}</code>]),
    ["Disabled because", endpoint.disabled_reason === null ? "—" : words(endpoint.disabled_reason)],
    ["Failing since", <Moment at={endpoint.failing_since} />],
    ["Oldest undelivered", <Moment at={endpoint.oldest_undelivered_at} />],
    ["Created", <Moment at={endpoint.created_at} />],
  ];
}
