// The list of connections to payment providers. They are created on the command line, because they hold secrets.

import { to } from "../lib/router.js";
import { currentSession } from "../lib/session.js";
import { words } from "../lib/words.js";
import { Command, Moment, Status } from "../parts/basics.js";
import { ListPage } from "../parts/list.js";
import { recordId } from "../parts/rows.js";
import type { Column } from "../parts/table.js";
import { connections, providerName, type Connection } from "./parts/connections.js";

const COLUMNS: readonly Column<Connection>[] = [
  { name: "Name", show: ({ id, name }) => <a href={to("connections", id)}>{name}</a>, text: ({ name }) => name },
  { name: "Kind", show: ({ kind }) => providerName(kind), text: ({ kind }) => kind },
  { name: "Mode", show: ({ mode }) => words(mode), text: ({ mode }) => mode },
  { name: "State", show: ({ state }) => <Status value={state} />, text: ({ state }) => state },
  { name: "Last received", show: ({ last_received_at }) => <Moment at={last_received_at} />, text: ({ last_received_at }) => last_received_at },
  { name: "Last sweep", show: ({ last_swept_at }) => <Moment at={last_swept_at} />, text: ({ last_swept_at }) => last_swept_at },
];

export default function Connections() {
  const mode = currentSession()?.organization.mode === "test" ? " --mode test" : "";
  return (
    <ListPage
      name="Connections"
      columns={COLUMNS}
      id={recordId}
      load={(query) => connections.list(query)}
      empty={
        <>
          <p>Connections to Stripe, Lemon Squeezy and Paddle appear here. Create one on the command line:</p>
          <Command text={`perennial connection add stripe --name main${mode} --api-key-file key.txt --webhook-secret-file secret.txt`} />
        </>
      }
    />
  );
}
