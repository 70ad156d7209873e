// The test clock of a test organization: create it, move it, delete it with the records of its time.

import { useState } from "preact/hooks";
import type { TestClock } from "../../lib/api.js";
import { useCell } from "../../lib/cell.js";
import { readClock, testClock } from "../../lib/clock.js";
import { useLoad } from "../../lib/load.js";
import { count } from "../../lib/money.js";
import { can, currentSession } from "../../lib/session.js";
import { fromInput, toInput } from "../../lib/time.js";
import { Command, Moment, Status, Terms, type Term } from "../../parts/basics.js";
import { Confirm } from "../../parts/confirm.js";
import type { Field } from "../../parts/fields.js";
import { RecordForm } from "../../parts/form.js";
import { Problem } from "../../parts/problem.js";
import { testClocks } from "./resources.js";

export function TestClockRegion() {
  const { error, reload } = useLoad("test-clock", readClock);
  const clock = useCell(testClock);
  const [dialog, setDialog] = useState("");
  const close = (): void => setDialog("");
  const saved = (): void => {
    close();
    reload();
  };
  return (
    <section class="card stack" aria-label="Test clock">
      <h2>Test clock</h2>
      {error !== undefined && <Problem error={error} retry={reload} />}
      {clock === null && <p>This test organization uses real time. With a test clock you move its time yourself.</p>}
      {clock !== null && clock !== undefined && <State clock={clock} />}
      {can("organization:write") && clock !== undefined && <Actions clock={clock} open={setDialog} />}
      {dialog === "create" && <TimeForm title="Create test clock" first={new Date().toISOString()} save={(now) => testClocks.create({ now })} done="Test clock created" close={close} saved={saved} />}
      {dialog === "advance" && clock && (
        <TimeForm title="Advance" first={clock.now} save={(now) => testClocks.update({ now, mode: "advance" })} done="Test clock advances" close={close} saved={saved}>
          Everything that is due until then happens at its own time, in order.
        </TimeForm>
      )}
      {dialog === "jump" && clock && (
        <TimeForm title="Jump" first={clock.now} save={(now) => testClocks.update({ now, mode: "jump" })} done="Test clock moved" close={close} saved={saved}>
          The clock moves at once, as after an outage. What is due until then is late, and may be held.
        </TimeForm>
      )}
      {dialog === "delete" && (
        <Confirm title="Delete test clock" button="Delete test clock" keep="Keep test clock" done="Test clock is being deleted" act={() => testClocks.delete()} close={close} saved={saved}>
          <p>The plans, subscriptions and payments of this test organization, and their events, are removed with the clock.</p>
        </Confirm>
      )}
    </section>
  );
}

function State({ clock }: { clock: TestClock }) {
  const terms: Term[] = [
    ["Status", <Status value={clock.status} />],
    ["Now", <Moment at={clock.now} />],
    ...(clock.target === null ? [] : [["Moves to", <Moment at={clock.target} />] as Term]),
    ["Actions", `${count(clock.transitions)} in the ${clock.status === "advancing" ? "current" : "last"} advance`],
  ];
  return (
    <>
      <Terms terms={terms} />
      {clock.limit_reached && <p>The last advance stopped after 100,000 actions. Advance again to continue.</p>}
      {clock.status === "held" && (
        <>
          <p>The organization is on hold: work is very late, or its records were restored, copied or imported. Nothing happens until you release it:</p>
          <Command text={`perennial lifecycle resume --org ${organizationName()}`} />
        </>
      )}
    </>
  );
}

/** As a word of a command line. */
function organizationName(): string {
  const { name = "", id = "" } = currentSession()?.organization ?? {};
  return /^[\w.-]+$/.test(name) ? name : id;
}

function Actions({ clock, open }: { clock: TestClock | null; open: (dialog: string) => void }) {
  if (clock === null) {
    return (
      <div class="actions">
        <button type="button" class="primary" onClick={() => open("create")}>
          Create test clock
        </button>
      </div>
    );
  }
  if (clock.status === "advancing" || clock.status === "deleting") {
    return null;
  }
  return (
    <div class="actions">
      {clock.status !== "held" && (
        <button type="button" class="primary" onClick={() => open("advance")}>
          Advance
        </button>
      )}
      <button type="button" onClick={() => open("jump")}>
        Jump
      </button>
      <button type="button" class="danger" onClick={() => open("delete")}>
        Delete test clock
      </button>
    </div>
  );
}

interface TimeProps {
  title: string;
  first: string;
  save: (now: string) => Promise<unknown>;
  done: string;
  close: () => void;
  saved: () => void;
  children?: string;
}

function TimeForm({ title, first, save, done, close, saved, children }: TimeProps) {
  const fields: Field[] = [{ name: "now", label: "Time (UTC)", kind: "datetime-local", hint: children, send: (value) => fromInput(String(value)) ?? "" }];
  return <RecordForm title={title} fields={fields} values={{ now: toInput(first) }} submit={title} done={done} save={({ now }) => save(String(now))} close={close} saved={saved} />;
}
