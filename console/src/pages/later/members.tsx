// The members of a subscription, and how many seats it has.

import { useState } from "preact/hooks";
import { caller, guarded, type PageOf } from "../../lib/api.js";
import { useLoad } from "../../lib/load.js";
import { usersById, userName } from "../../lib/names.js";
import { to } from "../../lib/router.js";
import { announce, can } from "../../lib/session.js";
import { Day } from "../../parts/basics.js";
import { RecordForm } from "../../parts/form.js";
import { Problem } from "../../parts/problem.js";
import { Table, type Column } from "../../parts/table.js";
import { grantWords } from "../parts/features.js";
import { userId } from "../parts/user-id.js";

interface Member {
  subscription_id: string;
  user_id: string;
  created_at: string;
}

type Members = PageOf<Member> & { seats: { limit: number | "unlimited" | null; used: number; over_limit: boolean } };

const operation = (method: string, path: string) => ({ id: method + path, method, path, access: "client", keyed: method === "POST", repeatable: true }) as const;
const LIST = operation("GET", "/subscriptions/{id}/members");
const ADD = operation("POST", "/subscriptions/{id}/members");
const REMOVE = operation("DELETE", "/subscriptions/{id}/members/{user_id}");

/** At most 1,000 members has a subscription. */
async function read(id: string): Promise<{ rows: (Member & { name: string })[]; seats: Members["seats"] }> {
  const members: Member[] = [];
  let page: Members;
  let cursor: string | undefined;
  do {
    page = (await caller.page<Member>(LIST, { path: { id }, query: { limit: 200, cursor } }, {})) as Members;
    members.push(...page.data);
    cursor = page.page?.next_cursor ?? undefined;
  } while (cursor !== undefined);
  const users = await usersById(members.map(({ user_id }) => user_id));
  return { rows: members.map((member) => ({ ...member, name: userName(users.get(member.user_id), member.user_id) })), seats: page.seats };
}

export default function MembersPanel({ id }: { id: string }) {
  const { data, error, reload } = useLoad(`members ${id}`, () => read(id));
  const [isOpen, setOpen] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const remove = async (user_id: string): Promise<void> => {
    try {
      await guarded(() => caller.one(REMOVE, { path: { id, user_id } }, {}));
      announce("Member removed");
      setFailure(undefined);
      reload();
    } catch (problem) {
      setFailure(problem);
    }
  };
  if (error !== undefined) {
    return <Problem error={error} retry={reload} />;
  }
  if (data === undefined) {
    return null;
  }
  const { limit, used, over_limit } = data.seats;
  const columns: Column<Member & { name: string }>[] = [
    { name: "Member", show: ({ user_id, name }) => <a href={to("users", user_id)}>{name}</a>, text: ({ name }) => name },
    { name: "Since", show: ({ created_at }) => <Day at={created_at} />, text: ({ created_at }) => created_at },
  ];
  if (can("subscriptions:write")) {
    columns.push({
      name: "Action",
      text: () => "",
      show: ({ user_id, name }) => (
        <button type="button" aria-label={`Remove ${name}`} onClick={() => void remove(user_id)}>
          Remove
        </button>
      ),
    });
  }
  return (
    <>
      {failure !== undefined && <Problem error={failure} />}
      <p>
        Seats: {used} {limit === null ? "used, without a limit of their own" : `of ${grantWords(limit).toLowerCase()}`}
        {over_limit && ", over the limit"}. The owner has one.
      </p>
      {data.rows.length === 0 ? <p class="faint">The subscription has no members except its owner.</p> : <Table name="Members" columns={columns} rows={data.rows} id={({ user_id }) => user_id} />}
      {can("subscriptions:write") && (
        <div class="actions after">
          <button type="button" onClick={() => setOpen(true)}>
            Add member
          </button>
        </div>
      )}
      {isOpen && (
        <RecordForm
          title="Add member"
          fields={[{ name: "user_id", label: "User", hint: "An e-mail address or a user ID." }]}
          values={{ user_id: "" }}
          submit="Add member"
          done="Member added"
          save={async (body, { idempotencyKey }) => caller.one(ADD, { path: { id }, body: { user_id: await userId(String(body["user_id"] ?? "")) } }, { idempotencyKey })}
          close={() => setOpen(false)}
          saved={() => {
            setOpen(false);
            reload();
          }}
        />
      )}
    </>
  );
}
