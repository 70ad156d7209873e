// The list of users.

import { useState } from "preact/hooks";
import { api, type ManagedUser, type ManagedUserQuery, type PageOf } from "../lib/api.js";
import { go, to } from "../lib/router.js";
import { can } from "../lib/session.js";
import { startOfDay } from "../lib/time.js";
import { Day, Status } from "../parts/basics.js";
import { orNull, type Field } from "../parts/fields.js";
import type { Filter } from "../parts/filters.js";
import { RecordForm } from "../parts/form.js";
import { ListPage, type ListQuery } from "../parts/list.js";
import { recordId } from "../parts/rows.js";
import type { Column } from "../parts/table.js";

const name = ({ first_name, last_name, username }: ManagedUser): string => [first_name, last_name].filter(Boolean).join(" ") || (username ?? "—");

const COLUMNS: readonly Column<ManagedUser>[] = [
  { name: "Address", show: ({ id, email }) => <a href={to("users", id)}>{email ?? id}</a>, text: ({ email }) => email },
  { name: "Name", show: name, text: name },
  { name: "Provider", show: ({ auth_provider }) => auth_provider ?? "—", text: ({ auth_provider }) => auth_provider },
  { name: "State", show: ({ is_blocked }) => <Status value={is_blocked ? "blocked" : "active"} />, text: ({ is_blocked }) => (is_blocked ? "blocked" : "active") },
  { name: "Since", sort: "created_at", show: ({ created_at }) => <Day at={created_at} />, text: ({ created_at }) => created_at },
];

const FILTERS: readonly Filter[] = [
  { name: "email_prefix", label: "Address begins with", kind: "text" },
  { name: "created_after", label: "Since", kind: "date" },
  { name: "created_before", label: "Before", kind: "date" },
];

function parameters(set: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(set).map(([key, value]) => [key, key.startsWith("created_") ? startOfDay(value) : value]));
}

const load = (query: ListQuery): Promise<PageOf<ManagedUser>> => api.users.list(query as unknown as ManagedUserQuery);

export default function Users() {
  const [isOpen, setOpen] = useState(false);
  const add = can("users:write") && (
    <button type="button" class="primary" onClick={() => setOpen(true)}>
      New user
    </button>
  );
  return (
    <>
      <ListPage
        name="Users"
        columns={COLUMNS}
        filters={FILTERS}
        id={recordId}
        load={load}
        parameters={parameters}
        actions={add}
        empty={
          <>
            <p>Users who signed up, or whom you created, appear here.</p>
            {add}
          </>
        }
      />
      {isOpen && <NewUser close={() => setOpen(false)} />}
    </>
  );
}

function NewUser({ close }: { close: () => void }) {
  const fields: Field[] = [
    { name: "email", label: "E-mail address" },
    { name: "first_name", label: "First name", send: orNull },
    { name: "last_name", label: "Last name", send: orNull },
    { name: "username", label: "User name", send: orNull },
  ];
  return (
    <RecordForm
      title="New user"
      fields={fields}
      values={{ email: "", first_name: "", last_name: "", username: "" }}
      submit="Create user"
      done="User created"
      save={(body, { idempotencyKey }) => api.users.create(body as never, { idempotencyKey })}
      close={close}
      saved={(user) => go(to("users", (user as ManagedUser).id))}
    />
  );
}
