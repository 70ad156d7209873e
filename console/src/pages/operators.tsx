// Operators: who may use the console, with which role, and their sessions.

import { useState } from "preact/hooks";
import { guarded, type Operator, type OperatorSessionRecord, type PageOf } from "../lib/api.js";
import { to } from "../lib/router.js";
import { announce, currentSession } from "../lib/session.js";
import { words } from "../lib/words.js";
import { Card, Command, Day, Moment, Status } from "../parts/basics.js";
import { Confirm } from "../parts/confirm.js";
import { Dialog } from "../parts/dialog.js";
import { choices, type Field } from "../parts/fields.js";
import { RecordForm } from "../parts/form.js";
import { ListPage, type ListQuery } from "../parts/list.js";
import { recordId, TablePanel } from "../parts/rows.js";
import type { Column } from "../parts/table.js";
import { operators } from "./parts/resources.js";

const ROLE: Field = {
  name: "role",
  label: "Role",
  kind: "select",
  options: choices(["viewer", "support", "admin"]),
  hint: "A viewer reads. Support also changes subscriptions, payments and users. An admin changes everything.",
};

type Open = { kind: "invite" } | { kind: "link"; url: string } | { kind: "role" | "disable" | "new-link"; operator: Operator } | { kind: "end"; session: SessionRow } | undefined;

interface SessionRow extends OperatorSessionRecord {
  operator: Operator;
}

const load = (query: ListQuery): Promise<PageOf<Operator>> => operators.list(query as never);

/** The sessions of the operators on the first page. */
async function sessions(): Promise<SessionRow[]> {
  const { data } = await operators.list({ limit: 25 });
  const lists = await Promise.all(data.map(async (operator) => (await operators.listSessions(operator.id)).data.map((session) => ({ ...session, operator }))));
  return lists.flat();
}

export default function Operators() {
  const [open, setOpen] = useState<Open>();
  const [version, setVersion] = useState(0);
  const close = (): void => setOpen(undefined);
  const saved = (): void => {
    close();
    setVersion(version + 1);
  };
  return (
    <>
      <ListPage
        name="Operators"
        columns={operatorColumns(setOpen)}
        id={recordId}
        load={load}
        version={version}
        actions={
          <button type="button" class="primary" onClick={() => setOpen({ kind: "invite" })}>
            Invite operator
          </button>
        }
        empty={<p>People who use the console appear here.</p>}
      />
      <Card title="Sessions" className="after">
        <TablePanel
          name="Sessions"
          version={String(version)}
          load={sessions}
          columns={sessionColumns((session) => setOpen({ kind: "end", session }))}
          id={recordId}
          empty="No operator is signed in."
        />
      </Card>
      <OpenDialog open={open} setOpen={setOpen} close={close} saved={saved} />
    </>
  );
}

/** With the record as it is now: a list has no revision to base the change on. */
async function openRole(id: string, setOpen: (open: Open) => void): Promise<void> {
  try {
    setOpen({ kind: "role", operator: await guarded(() => operators.get(id)) });
  } catch {
    announce("The operator could not be read");
  }
}

function operatorColumns(setOpen: (open: Open) => void): Column<Operator>[] {
  const own = currentSession()?.operator.id;
  return [
    { name: "Name", show: ({ id, name }) => <a href={`${to("events")}?operator_id=${id}`}>{name}</a>, text: ({ name }) => name },
    { name: "Role", show: ({ role }) => words(role), text: ({ role }) => role },
    { name: "State", show: ({ is_active }) => <Status value={is_active ? "active" : "disabled"} />, text: ({ is_active }) => (is_active ? "active" : "disabled") },
    { name: "Identity", show: ({ issuer, subject }) => (subject === null ? "—" : `${subject} at ${issuer}`), text: ({ subject }) => subject },
    { name: "Last sign-in", show: ({ last_sign_in_at }) => <Moment at={last_sign_in_at} />, text: ({ last_sign_in_at }) => last_sign_in_at },
    {
      name: "Actions",
      text: () => "",
      show: (operator) =>
        operator.id === own ? (
          <span class="faint">You</span>
        ) : (
          <span class="actions">
            <button type="button" onClick={() => void openRole(operator.id, setOpen)}>
              Change role
            </button>
            {operator.is_active && (
              <>
                <button type="button" onClick={() => setOpen({ kind: "new-link", operator })}>
                  New link
                </button>
                <button type="button" class="danger" onClick={() => setOpen({ kind: "disable", operator })}>
                  Disable
                </button>
              </>
            )}
          </span>
        ),
    },
  ];
}

function sessionColumns(end: (session: SessionRow) => void): Column<SessionRow>[] {
  return [
    { name: "Operator", show: ({ operator }) => operator.name, text: ({ operator }) => operator.name },
    { name: "Signed in", show: ({ signed_in_at }) => <Day at={signed_in_at} />, text: ({ signed_in_at }) => signed_in_at },
    { name: "Last used", show: ({ last_used_at }) => <Moment at={last_used_at} />, text: ({ last_used_at }) => last_used_at },
    { name: "IP address", show: ({ ip_address }) => ip_address ?? "—", text: ({ ip_address }) => ip_address },
    { name: "Browser", show: ({ user_agent }) => <span title={user_agent ?? ""}>{user_agent ?? "—"}</span>, text: ({ user_agent }) => user_agent },
    {
      name: "Action",
      text: () => "",
      show: (session) => (
        <button type="button" onClick={() => end(session)}>
          End session
        </button>
      ),
    },
  ];
}

function OpenDialog({ open, setOpen, close, saved }: { open: Open; setOpen: (open: Open) => void; close: () => void; saved: () => void }) {
  switch (open?.kind) {
    case undefined:
      return null;
    case "invite":
      return (
        <RecordForm
          title="Invite operator"
          fields={[{ name: "name", label: "Name" }, ROLE]}
          values={{ name: "", role: "viewer" }}
          submit="Create link"
          done="Operator invited"
          save={async (body, { idempotencyKey }) => {
            const operator = await operators.create(body as never, { idempotencyKey });
            return await operators.createLink(operator.id);
          }}
          close={close}
          saved={(link) => setOpen({ kind: "link", url: (link as { url: string }).url })}
        />
      );
    case "link":
      return (
        <Dialog title="One-time link" close={saved}>
          <p>Send this link to the operator. It works once, for ten minutes, and is not shown again.</p>
          <Command text={open.url} name="Copy link" />
          <div class="actions">
            <button type="button" data-focus onClick={saved}>
              Close
            </button>
          </div>
        </Dialog>
      );
    case "role":
      return (
        <RecordForm
          title="Change role"
          fields={[ROLE]}
          values={{ role: open.operator.role }}
          submit="Save changes"
          done="Role changed"
          existing={{ record: open.operator, read: () => operators.get(open.operator.id), values: ({ role }: Operator) => ({ role }) }}
          save={(body, { base }) => operators.update(open.operator.id, body, { ifMatch: base })}
          close={close}
          saved={saved}
        />
      );
    case "new-link":
      return (
        <Confirm
          title="New link"
          button="Create link"
          done="Link created"
          act={() => operators.createLink(open.operator.id)}
          close={close}
          saved={(link) => setOpen({ kind: "link", url: (link as { url: string }).url })}
        >
          <p dir="auto">Create a one-time link for {open.operator.name}?</p>
        </Confirm>
      );
    case "disable":
      return (
        <Confirm
          title="Disable operator"
          button="Disable operator"
          keep="Keep operator"
          done="Operator disabled"
          act={() => operators.update(open.operator.id, { is_active: false })}
          close={close}
          saved={saved}
        >
          <p dir="auto">All sessions and links of {open.operator.name} end now.</p>
        </Confirm>
      );
    case "end":
      return (
        <Confirm
          title="End session"
          button="End session"
          keep="Keep session"
          done="Session ended"
          act={() => operators.endSession(open.session.operator_id, open.session.id)}
          close={close}
          saved={saved}
        >
          <p dir="auto">{open.session.operator.name} is signed out there.</p>
        </Confirm>
      );
  }
}
