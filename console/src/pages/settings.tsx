// The organization's settings, and what this installation is.

import { useState } from "preact/hooks";
import { api, connectIdentity, guarded, PerennialProblem, type AnalyticsMeta } from "../lib/api.js";
import { isTest } from "../lib/clock.js";
import { useLoad } from "../lib/load.js";
import { can, currentSession } from "../lib/session.js";
import { moment } from "../lib/time.js";
import { words } from "../lib/words.js";
import { Card, Heading, Id, Moment, Terms, ViewOnly, type Term } from "../parts/basics.js";
import { Problem } from "../parts/problem.js";
import { SettingsForm, settingsOf } from "./parts/settings-form.js";
import { allTaxRates } from "./parts/tax-rates.js";
import { TestClockRegion } from "./parts/test-clock.js";
import { analytics } from "./parts/resources.js";

/** The version of the program that this console was built with. */
declare const VERSION: string;

/** How far the figures of the overview are. Undefined if there is no ledger. */
async function readLedger(): Promise<AnalyticsMeta | undefined> {
  try {
    return (await analytics.revenue({ interval: "day" })).meta;
  } catch (failure) {
    if (failure instanceof PerennialProblem && failure.status === 404) {
      return undefined;
    }
    throw failure;
  }
}

export default function Settings() {
  const { data: organization, error, reload } = useLoad("organization", () => api.organizations.get());
  const { data: rates } = useLoad("tax-rates", allTaxRates);
  const ledger = useLoad(can("analytics:read") ? "ledger" : null, readLedger);
  const session = currentSession();
  const terms: Term[] = organization === undefined ? [] : [
    ["Name", <span dir="auto">{organization.name}</span>],
    ["ID", <Id id={organization.id} />],
    ["Mode", words(organization.mode)],
    ["Currency", organization.currency],
    ["Created", <Moment at={organization.created_at} />],
  ];
  return (
    <>
      <header class="page-head">
        <Heading>Settings</Heading>
        {!can("organization:write") && <ViewOnly />}
      </header>
      {error !== undefined && <Problem error={error} retry={reload} />}
      <div class="grid">
        <div>
          <Card title="Organization">
            <Terms terms={terms} />
          </Card>
          {isTest() && <TestClockRegion />}
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
                ["Version", VERSION],
                ["Console build", <code>{session?.build ?? "—"}</code>],
                ["Ledger", ledger.data === undefined ? "—" : `${words(ledger.data.state)}, as of ${moment(ledger.data.as_of)}`],
                ["API reference", <a href="/docs">/docs</a>],
                ["Error codes", <a href="/docs/errors">/docs/errors</a>],
              ]}
            />
          </Card>
        </div>
        {organization !== undefined && rates !== undefined && (
          <Card title={can("organization:write") ? "Change settings" : "Defaults"}>
            {can("organization:write") ? <SettingsForm organization={organization} rates={rates} saved={reload} /> : <Terms terms={settingsOf(organization, rates)} />}
          </Card>
        )}
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
