// Calls of the public API as the operator who is signed in. When the session is over or too old, the operator signs in again
// and the call is repeated, so that nothing that was typed is lost.

import { answerOf } from "../../../clients/typescript/src/answers.js";
import { Caller, type Operation } from "../../../clients/typescript/src/caller.js";
import * as resources from "../../../clients/typescript/src/generated/resources.js";
import type { OperatorSession, Subscription, TestClock } from "../../../clients/typescript/src/generated/types.js";
import { PerennialError, PerennialProblem } from "../../../clients/typescript/src/problem.js";
import { newKey, sleep } from "../../../clients/typescript/src/send.js";
import { cell } from "./cell.js";

export type * from "../../../clients/typescript/src/generated/types.js";
export type { PageOf } from "../../../clients/typescript/src/pages.js";
export { answerOf, PerennialProblem };

const surroundings = {
  fetch: (...request: Parameters<typeof fetch>) => fetch(...request),
  now: () => Date.now(),
  random: () => Math.random(),
  sleep,
};

const noSession = (): never => {
  throw new TypeError("An operator has no user's session.");
};

// The page shows why a call failed and offers the next attempt, so there is one attempt at a time.
export const caller = new Caller(
  { baseUrl: location.origin, clientId: "", credentials: "operator", retry: { attempts: 1 } },
  surroundings,
  noSession,
);

/** The resources that several pages use; those of few pages are in `pages/parts/resources.ts`. Wrap calls in `guarded`. */
export const api = {
  feed: new resources.Feed(caller),
  organizations: new resources.Organizations(caller),
  payments: new resources.Payments(caller),
  planVersions: new resources.PlanVersions(caller),
  plans: new resources.Plans(caller),
  search: new resources.Search(caller),
  subscriptions: new resources.Subscriptions(caller),
  users: new resources.Users(caller),
};

/** The session with the name of the build that the server has. */
export type Session = OperatorSession & { build?: string | null };

const session = (method: string): Operation => {
  return { id: "operatorSession", method, path: "/operator-session", access: "client", keyed: false, repeatable: false };
};

export const readSession = (): Promise<Session> => caller.one<Session>(session("GET"), {}, {});
export const signIn = (link: string): Promise<Session> => caller.one<Session>(session("POST"), { body: { link } }, {});
export const endSession = (): Promise<object> => caller.one(session("DELETE"), {}, {});

const connection: Operation = { ...session("POST"), path: "/operator-session/connect" };
export const connectIdentity = (): Promise<{ url: string }> => caller.one(connection, {}, {});

const clock: Operation = { id: "readTestClock", method: "GET", path: "/test-clock", access: "client", keyed: false, repeatable: true };
export const readTestClock = (): Promise<TestClock> => caller.one<TestClock>(clock, {}, {});

/** All records of a list that have names. */
export async function listNamed(path: string): Promise<{ id: string; name: string }[]> {
  const list: Operation = { ...clock, id: path, path };
  const found: { id: string; name: string }[] = [];
  let cursor: string | undefined;
  do {
    const { data, page } = await caller.page<{ id: string; name: string }>(list, { query: { limit: 200, cursor } }, {});
    found.push(...data);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return found;
}

/** What a change would do: the record after it, and the documents that it would issue. */
export interface DryRun {
  data: Subscription;
  documents: Record<"invoices" | "credit_notes", Document[]>;
}

/** The members of an invoice or a credit note that a dry run shows. */
export interface Document {
  total?: number;
  currency?: string;
  lines?: { kind?: string; description?: string; amount?: number }[];
}

const dryRun: Operation = { id: "dryRun", method: "PUT", path: "/subscriptions/{id}", access: "client", keyed: false, repeatable: true };

/** Tries a change of a subscription; nothing is written. */
export async function tryUpdate(id: string, body: object): Promise<DryRun> {
  return (await caller.page(dryRun, { path: { id }, query: { dry_run: true }, body }, {})) as unknown as DryRun;
}

/** A key for one opened form: however often it is sent, it makes one record. */
export const newFormKey = (): string => newKey(Math.random);

/** Why the operator has to sign in again, while the dialog is open. */
export interface SignInRequest {
  reason: "ended" | "not_recent";
  provider: string | null;
  done(isSignedIn: boolean): void;
}

export const signInRequest = cell<SignInRequest | null>(null);

/** How often a scope was missing: the role may have changed since the page was loaded. */
export const scopeRejections = cell(0);

/** Makes a call. If that needs a new sign-in, waits for it and calls again. */
export async function guarded<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (failure) {
      if (failure instanceof PerennialProblem && failure.code === "insufficient_scope") {
        scopeRejections.set(scopeRejections.get() + 1);
      }
      const reason = signInNeeded(failure);
      if (reason === undefined || !(await signedInAgain(reason, failure as PerennialProblem))) {
        throw failure;
      }
    }
  }
}

function signInNeeded(failure: unknown): SignInRequest["reason"] | undefined {
  if (!(failure instanceof PerennialProblem)) {
    return undefined;
  }
  const codes: Partial<Record<string, SignInRequest["reason"]>> = {
    operator_session_required: "ended",
    fresh_sign_in_required: "not_recent",
  };
  return codes[failure.code];
}

let asked: Promise<boolean> | undefined;

/** All calls that fail at the same time share one dialog. */
function signedInAgain(reason: SignInRequest["reason"], { problem }: PerennialProblem): Promise<boolean> {
  asked ??= new Promise<boolean>((resolve) => {
    signInRequest.set({ reason, provider: problem.provider ?? null, done: resolve });
  }).finally(() => {
    asked = undefined;
    signInRequest.set(null);
  });
  return asked;
}

/** What to show about a failure. */
export interface Shown {
  detail: string;
  code: string | undefined;
  requestId: string | undefined;
  retryAfterMs: number | undefined;
}

export function shown(failure: unknown): Shown {
  if (failure instanceof PerennialProblem) {
    const { detail, code, requestId, retryAfterMs, status } = failure;
    const wait = status === 429 || status === 503 ? (retryAfterMs ?? 1_000) : undefined;
    return { detail: detail || failure.title, code, requestId, retryAfterMs: wait };
  }
  const detail = failure instanceof PerennialError ? "The server cannot be reached." : String(failure);
  return { detail, code: undefined, requestId: undefined, retryAfterMs: undefined };
}

/** The curl call that reads a record. */
export function curlOf(path: string): string {
  return `curl -H "client-id: $PERENNIAL_CLIENT_ID" '${location.origin}${path}'`;
}
