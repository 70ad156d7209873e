// The organization's settings, and what this installation is.

import { useState } from "preact/hooks";
import { api, connectIdentity, guarded, type Organization } from "../lib/api.js";
import { useLoad } from "../lib/load.js";
import { can, currentSession } from "../lib/session.js";
import { Card, Heading, Id, Moment, Terms, type Term } from "../parts/basics.js";
import { lines, orNull, type Field, type Values } from "../parts/fields.js";
import { Form } from "../parts/form.js";
import { Problem } from "../parts/problem.js";

const FIELDS: readonly Field[] = [
  {
    name: "max_sessions",
    label: "Sessions per user",
    kind: "number",
    hint: "The number of sessions that a user should have at most. Empty means no limit.",
    send: (value) => (value === "" ? null : Number.isFinite(Number(value)) ? Number(value) : value),
  },
];

/** The members of `portal`; the form sends them one level deeper. */
const PORTAL: readonly Field[] = [
  { name: "name", label: "Name", hint: "The name that customers see. Empty means the organization's.", send: orNull },
  { name: "accent", label: "Color", hint: "The color of buttons, such as #17734b. White text must be readable on it." },
  { name: "cancel", label: "Cancelling", kind: "select", options: [["period_end", "At the end of the paid period"], ["now", "Now"], ["off", "Not in the portal"]] },
  { name: "resume", label: "Customers may resume a cancelled subscription", kind: "check" },
  { name: "change", label: "Changing the plan", kind: "select", options: [["off", "Not in the portal"], ["link", "At the link of the plan"], ["next_period", "From the next period on"]] },
  { name: "return_origins", label: "Return origins", kind: "area", hint: "One per line, such as https://app.example.com.", send: lines },
];

const portalValues = ({ portal }: Organization): Values => ({
  name: portal.name ?? "",
  accent: portal.accent,
  cancel: portal.cancel,
  resume: portal.resume,
  change: portal.change,
  return_origins: portal.return_origins.join("\n"),
});

const valuesOf = ({ max_sessions }: Organization): Values => ({ max_sessions: max_sessions === null ? "" : String(max_sessions) });

export default function Settings() {
  const { data: organization, error, reload } = useLoad("organization", () => api.organizations.get());
  const session = currentSession();
  const terms: Term[] = organization === undefined ? [] : [
    ["Name", <span dir="auto">{organization.name}</span>],
    ["ID", <Id id={organization.id} />],
    ["Currency", organization.currency],
    ["Created", <Moment at={organization.created_at} />],
  ];
  return (
    <>
      <header class="page-head">
        <Heading>Settings</Heading>
        {!can("organization:write") && <p class="faint">Your role can only view this page.</p>}
      </header>
      {error !== undefined && <Problem error={error} retry={reload} />}
      <div class="grid">
        <Card title="Organization">
          <Terms terms={terms} />
        </Card>
        {organization !== undefined && can("organization:write") && (
          <Card title="Sessions">
            <Form
              key={String(organization.max_sessions)}
              fields={FIELDS}
              values={valuesOf(organization)}
              submit="Save changes"
              done="Settings saved"
              existing={{ record: organization, read: () => api.organizations.get(), values: valuesOf }}
              save={(body, { base }) => api.organizations.update(body, { ifMatch: base })}
              saved={reload}
            />
          </Card>
        )}
        {organization !== undefined && can("organization:write") && (
          <Card title="Customer portal">
            <Form
              key={JSON.stringify(organization.portal)}
              fields={PORTAL}
              values={portalValues(organization)}
              submit="Save portal"
              done="Portal saved"
              prefix="/portal"
              existing={{ record: organization, read: () => api.organizations.get(), values: portalValues }}
              save={(portal, { base }) => api.organizations.update({ portal }, { ifMatch: base })}
              saved={reload}
            />
          </Card>
        )}
        <Card title="Your sign-in">
          {session !== undefined && (
            <Terms
              terms={[
                ["Signed in", <Moment at={session.signed_in_at} />],
                ["Ends", <Moment at={session.expires_at} />],
                ["Identity", session.operator.subject ?? "Not connected"],
              ]}
            />
          )}
          {session?.operator.subject === null && <Connect />}
        </Card>
        <Card title="Installation">
          <Terms
            terms={[
              ["Console build", <code>{session?.build ?? "—"}</code>],
              ["API reference", <a href="/docs">/docs</a>],
              ["Error codes", <a href="/docs/errors">/docs/errors</a>],
            ]}
          />
        </Card>
      </div>
    </>
  );
}

/** Connects the operator to an identity at the provider, if the installation has one. */
function Connect() {
  const [failure, setFailure] = useState<unknown>();
  const connect = async (): Promise<void> => {
    try {
      const { url } = await guarded(connectIdentity);
      location.assign(url);
    } catch (problem) {
      setFailure(problem);
    }
  };
  return (
    <>
      {failure !== undefined && <Problem error={failure} />}
      <button type="button" onClick={() => void connect()}>
        Connect identity
      </button>
    </>
  );
}
