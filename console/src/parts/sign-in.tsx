// Signing in: a page without a session, and a dialog when the session is over or not recent.

import { useState } from "preact/hooks";
import { readSession, signInRequest, type SignInRequest } from "../lib/api.js";
import { useCell } from "../lib/cell.js";
import { currentSession, refreshSession } from "../lib/session.js";
import { Command, Heading } from "./basics.js";
import { Dialog } from "./dialog.js";

const COMMAND = "perennial console open";

function ProviderLink({ provider }: { provider: string | null }) {
  if (provider === null) {
    return null;
  }
  const back = encodeURIComponent(location.pathname + location.search);
  return (
    <p>
      <a class="button primary" href={`/console/oidc/start?return=${back}`}>
        Sign in with {provider}
      </a>
    </p>
  );
}

export function SignInPage({ provider, isBadLink }: { provider: string | null; isBadLink: boolean }) {
  return (
    <main class="sign-in" id="content">
      <Heading>Sign in</Heading>
      {isBadLink && (
        <p class="problem" role="alert">
          This link was already used or has expired.
        </p>
      )}
      <ProviderLink provider={provider} />
      <p>Run this command on the server, and open the link that it prints. The link works once, for ten minutes.</p>
      <Command text={COMMAND} />
    </main>
  );
}

/** Over any page. The page stays as it is, with all that was typed. */
export function SignInAgain() {
  const request = useCell(signInRequest);
  return request === null ? null : <SignInDialog request={request} />;
}

function SignInDialog({ request: { reason, provider, done } }: { request: SignInRequest }) {
  const [message, setMessage] = useState("");
  const proceed = async (): Promise<void> => {
    try {
      const session = await readSession();
      if (reason === "not_recent" && Date.parse(session.fresh_until) <= Date.now()) {
        setMessage("The sign-in is still too old. Open a new link in this browser first.");
        return;
      }
      if (session.operator.id !== currentSession()?.operator.id) {
        location.reload();
        return;
      }
      await refreshSession();
      done(true);
    } catch {
      setMessage("There is no session yet. Open the link in this browser first.");
    }
  };
  return (
    <Dialog title="Sign in again" close={() => done(false)}>
      <p>
        {reason === "ended" ? "Your session has ended." : "This action needs a sign-in within the last 15 minutes."} Sign in in another tab of this
        browser, then continue here. Nothing that you typed is lost.
      </p>
      {provider !== null && (
        <p>
          <a href="/console/oidc/start" target="_blank" rel="noopener">
            Sign in with {provider}
          </a>
        </p>
      )}
      <Command text={COMMAND} />
      {message !== "" && (
        <p class="problem" role="alert">
          {message}
        </p>
      )}
      <div class="actions">
        <button type="button" onClick={() => done(false)}>
          Cancel
        </button>
        <button type="button" class="primary" data-focus onClick={() => void proceed()}>
          Continue
        </button>
      </div>
    </Dialog>
  );
}
