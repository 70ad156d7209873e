// One user: subscriptions, payments and sessions, and the end of them.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { answerOf, api, guarded, type ManagedUser, type Payment, type PortalLink, type UserSession } from "../lib/api.js";
import { useLoad } from "../lib/load.js";
import { withNames } from "../lib/names.js";
import { go, to } from "../lib/router.js";
import { announce, can } from "../lib/session.js";
import { moment } from "../lib/time.js";
import { Command, Day, Moment, Status, type Term } from "../parts/basics.js";
import { Confirm } from "../parts/confirm.js";
import { Dialog } from "../parts/dialog.js";
import { orNull, type Field, type Values } from "../parts/fields.js";
import { RecordForm } from "../parts/form.js";
import { Problem } from "../parts/problem.js";
import { RecordPage, RecordPending } from "../parts/record.js";
import { paymentColumns, recordId, subscriptionColumns, subscriptionId, TablePanel } from "../parts/rows.js";
import type { Column } from "../parts/table.js";
import { InvoicesPanel } from "./parts/invoices-panel.js";
import { userSessions } from "./parts/resources.js";
import { EntitlementsPanel } from "./parts/user-entitlements.js";
import { BalancePanel, BillingProfilePanel } from "./parts/user-billing.js";

const LIST = ["users", "Users"] as const;
/** Payments are listed by subscription: this many are read. */
const PAID = 10;

export default function UserPage({ id }: { id: string }) {
  const { data: user, error, reload } = useLoad(id, () => api.users.get(id));
  const [dialog, setDialog] = useState("");
  const [portalLink, setPortalLink] = useState<PortalLink>();
  const [round, setRound] = useState(0);
  const [failure, setFailure] = useState<unknown>();
  if (user === undefined) {
    return <RecordPending list={LIST} id={id} error={error} reload={reload} />;
  }
  const close = (): void => setDialog("");
  const saved = (): void => {
    close();
    setFailure(undefined);
    setRound(round + 1);
    reload();
  };
  const endSession = async (session: UserSession): Promise<void> => {
    try {
      await guarded(() => userSessions.revoke(id, session.id));
      announce("Session ended");
      saved();
    } catch (problem) {
      setFailure(problem);
    }
  };
  const actions = (
    <>
      <button type="button" data-key="e" onClick={() => setDialog("edit")}>
        Edit
      </button>
      <button type="button" onClick={() => setDialog("portal")}>
        Portal link
      </button>
      <button type="button" onClick={() => setDialog("sessions")}>
        End all sessions
      </button>
      <button type="button" class="danger" onClick={() => setDialog("erase")}>
        Erase user
      </button>
    </>
  );
  const terms: Term[] = [
    ["Address", <span dir="auto">{user.email ?? "—"}</span>],
    ["First name", <span dir="auto">{user.first_name ?? "—"}</span>],
    ["Last name", <span dir="auto">{user.last_name ?? "—"}</span>],
    ["User name", <span dir="auto">{user.username ?? "—"}</span>],
    ["Provider", user.auth_provider ?? "—"],
    ["ID at the provider", <code>{user.auth_id ?? "—"}</code>],
    ["Since", <Moment at={user.created_at} />],
  ];
  const version = `${id} ${round}`;
  const name = user.email ?? id;
  const billing: [string, () => ComponentChildren][] = [
    ["Invoices", () => <InvoicesPanel query={{ user_id: id }} version={version} empty="This user has no invoices." />],
    ["Billing profile", () => <BillingProfilePanel id={id} version={version} saved={saved} />],
    ["Balance", () => <BalancePanel id={id} name={name} version={version} saved={saved} />],
  ];
  return (
    <>
      {failure !== undefined && <Problem error={failure} retry={saved} />}
      <RecordPage
        list={LIST}
        id={id}
        name={name}
        badge={user.is_blocked && <Status value="blocked" />}
        actions={actions}
        scope="users:write"
        terms={terms}
        tabs={[
          ["Subscriptions", () => <Subscriptions id={id} version={version} />],
          ["Payments", () => <Payments id={id} version={version} />],
          ...(can("invoices:read") ? billing : []),
          ...(can("entitlements:read") ? [["Entitlements", () => <EntitlementsPanel id={id} version={version} />] as const] : []),
          ["Sessions", () => <Sessions id={id} version={version} end={(session) => void endSession(session)} />],
        ]}
        json={user}
        path={`/users/${id}`}
        version={`${answerOf(user)?.etag} ${round}`}
      />
      {dialog === "edit" && <EditUser user={user} close={close} saved={saved} />}
      {dialog === "portal" && <PortalLinkForm id={id} close={close} created={(created) => setPortalLink(created)} />}
      {portalLink !== undefined && (
        <Dialog title="One-time link" close={() => setPortalLink(undefined)}>
          <p dir="auto">
            Send this link only to {name}: its holder acts as the user. It works once, until {moment(portalLink.expires_at)}, and is not shown again.
          </p>
          <Command text={portalLink.url} name="Copy link" />
          <div class="actions">
            <button type="button" data-focus onClick={() => setPortalLink(undefined)}>
              Close
            </button>
          </div>
        </Dialog>
      )}
      {dialog === "sessions" && (
        <Confirm
          title="End all sessions"
          button="End all sessions"
          keep="Keep sessions"
          done="All sessions ended"
          act={() => userSessions.revokeAll(id)}
          close={close}
          saved={saved}
        >
          <p dir="auto">{name} is signed out on all devices.</p>
        </Confirm>
      )}
      {dialog === "erase" && (
        <Confirm
          title="Erase user"
          button="Erase user"
          keep="Keep user"
          done="User erased"
          typed={{ label: `Type ${name} to confirm`, text: name }}
          act={() => api.users.delete(id, { ifMatch: user })}
          close={close}
          saved={() => go(to("users"))}
        >
          <p>Personal data is erased, sessions end, and subscriptions are cancelled. Payments remain. This cannot be undone.</p>
        </Confirm>
      )}
    </>
  );
}

function Subscriptions({ id, version }: { id: string; version: string }) {
  const columns = subscriptionColumns.map((column) =>
    column.name === "Customer" ? { ...column, name: "Subscription", show: (row: Parameters<typeof column.show>[0]) => <a href={to("subscriptions", row.subscription.id)}>{row.plan?.name ?? row.subscription.id}</a> } : column,
  );
  const load = async () => await withNames((await api.subscriptions.list({ user_id: id, limit: 50 })).data);
  return <TablePanel name="Subscriptions" version={version} load={load} columns={columns} id={subscriptionId} empty="This user has no subscriptions." />;
}

function Payments({ id, version }: { id: string; version: string }) {
  const load = async (): Promise<Payment[]> => {
    const { data } = await api.subscriptions.list({ user_id: id, limit: PAID });
    const pages = await Promise.all(data.map((subscription) => api.payments.list({ subscription_id: subscription.id, limit: 25 })));
    return pages.flatMap((page) => page.data).sort((one, other) => (one.created_at < other.created_at ? 1 : -1));
  };
  return <TablePanel name="Payments" version={version} load={load} columns={paymentColumns} id={recordId} empty="This user has no payments." />;
}

function Sessions({ id, version, end }: { id: string; version: string; end: (session: UserSession) => void }) {
  const columns: Column<UserSession>[] = [
    { name: "Client", show: ({ client_name }) => client_name ?? "—", text: ({ client_name }) => client_name },
    { name: "Signed in", show: ({ issued_at }) => <Day at={issued_at} />, text: ({ issued_at }) => issued_at },
    { name: "Last used", show: ({ last_used_at }) => <Moment at={last_used_at} />, text: ({ last_used_at }) => last_used_at },
    { name: "IP address", show: ({ ip_address }) => ip_address ?? "—", text: ({ ip_address }) => ip_address },
    { name: "Browser", show: ({ user_agent }) => <span title={user_agent ?? ""}>{user_agent ?? "—"}</span>, text: ({ user_agent }) => user_agent },
  ];
  if (can("users:write")) {
    columns.push({
      name: "Action",
      text: () => "",
      show: (session) => (
        <button type="button" onClick={() => end(session)}>
          End session
        </button>
      ),
    });
  }
  const load = async () => (await userSessions.list(id)).data;
  return <TablePanel name="Sessions" version={version} load={load} columns={columns} id={recordId} empty="This user is not signed in." />;
}

const EXPIRY: Field = {
  name: "expires_in",
  label: "Works for",
  kind: "select",
  options: [
    ["900", "15 minutes"],
    ["3600", "1 hour"],
    ["86400", "1 day"],
  ],
  send: Number,
};

function PortalLinkForm({ id, close, created }: { id: string; close: () => void; created: (link: PortalLink) => void }) {
  return (
    <RecordForm
      title="Portal link"
      fields={[{ name: "return_url", label: "Return URL", hint: "Optional. Its origin must be listed in the settings of the portal." }, EXPIRY]}
      values={{ return_url: "", expires_in: "900" }}
      submit="Create link"
      done="Link created"
      save={(body) => api.users.createPortalLink(id, body)}
      close={close}
      saved={(link) => {
        close();
        created(link as PortalLink);
      }}
    />
  );
}

function valuesOf(user: ManagedUser): Values {
  return {
    email: user.email ?? "",
    first_name: user.first_name ?? "",
    last_name: user.last_name ?? "",
    username: user.username ?? "",
    is_blocked: user.is_blocked,
  };
}

function EditUser({ user, close, saved }: { user: ManagedUser; close: () => void; saved: () => void }) {
  const fields: Field[] = [
    { name: "email", label: "E-mail address", hint: user.auth_id === null ? undefined : "Managed by the identity provider.", send: (value) => value },
    { name: "first_name", label: "First name", send: orNull },
    { name: "last_name", label: "Last name", send: orNull },
    { name: "username", label: "User name", send: orNull },
    { name: "is_blocked", label: "Blocked", kind: "check", hint: "Ends all sessions and rejects sign-ins." },
  ];
  return (
    <RecordForm
      title="Edit user"
      fields={fields}
      values={valuesOf(user)}
      submit="Save changes"
      done="User changed"
      existing={{ record: user, read: () => api.users.get(user.id), values: valuesOf }}
      save={(body, { base }) => api.users.update(user.id, body, { ifMatch: base })}
      close={close}
      saved={saved}
    />
  );
}
