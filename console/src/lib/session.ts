// Who is signed in, and what the role allows. The API enforces it; the page only leaves out what would be rejected.

import { endSession, guarded, readSession, scopeRejections, signIn, type Session } from "./api.js";
import { cell } from "./cell.js";

export type SignedIn =
  | { state: "unknown" }
  | { state: "out"; provider: string | null; isBadLink: boolean }
  | { state: "failed"; error: unknown }
  | { state: "in"; session: Session };

export const signedIn = cell<SignedIn>({ state: "unknown" });

/** Results of actions, announced to everyone. */
export const announcement = cell("");

export function announce(text: string): void {
  announcement.set("");
  setTimeout(() => announcement.set(text), 20);
}

export function currentSession(): Session | undefined {
  const known = signedIn.get();
  return known.state === "in" ? known.session : undefined;
}

/** Whether the role has a scope. */
export function can(scope: string): boolean {
  return currentSession()?.scopes.includes(scope) ?? false;
}

/** Signs in with the link in the fragment, or finds the session of the cookie. The link does not stay in the address. */
export async function startSession(): Promise<void> {
  const link = new URLSearchParams(location.hash.slice(1)).get("link");
  if (location.hash !== "") {
    history.replaceState(null, "", location.pathname + location.search);
  }
  let isBadLink = false;
  try {
    if (link !== null) {
      signedIn.set({ state: "in", session: await signIn(link) });
      return;
    }
  } catch (failure) {
    isBadLink = codeOf(failure) === "invalid_link";
    if (!isBadLink) {
      signedIn.set({ state: "failed", error: failure });
      return;
    }
  }
  await refreshSession(isBadLink);
}

/** Reads the session again: the role may have changed, or the server may have a newer build. */
export async function refreshSession(isBadLink = false): Promise<void> {
  try {
    const session = await readSession();
    reloadIfOld(session.build ?? null);
    signedIn.set(isBadLink ? { state: "out", provider: null, isBadLink } : { state: "in", session });
  } catch (failure) {
    if (codeOf(failure) === "operator_session_required") {
      const { provider } = (failure as { problem: { provider?: string | null } }).problem;
      signedIn.set({ state: "out", provider: provider ?? null, isBadLink });
    } else {
      signedIn.set({ state: "failed", error: failure });
    }
  }
}

/** The same while a page is open: if the session has ended, the page stays and the operator signs in again. */
export async function recheckSession(): Promise<void> {
  try {
    const session = await guarded(readSession);
    reloadIfOld(session.build ?? null);
    signedIn.set({ state: "in", session });
  } catch {
    // The page shows its next failure itself.
  }
}

scopeRejections.subscribe(() => void recheckSession());

export async function signOut(): Promise<void> {
  await endSession().catch(() => undefined);
  await refreshSession();
}

/** A page of an earlier version loads the new one, once: if that changes nothing, it stays. */
function reloadIfOld(build: string | null): void {
  const ours = /\/assets\/([0-9a-f]+)\//.exec(import.meta.url)?.[1];
  if (build === null || ours === undefined || build === ours) {
    return;
  }
  try {
    if (sessionStorage.getItem("perennial.reloaded") !== build) {
      sessionStorage.setItem("perennial.reloaded", build);
      location.reload();
    }
  } catch {
    // Without storage a reload could repeat forever.
  }
}

function codeOf(failure: unknown): string | undefined {
  return (failure as { code?: string } | undefined)?.code;
}
