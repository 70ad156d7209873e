// The client: the calls, and the session they go with.

import { Caller, type Operation, type Sent } from "./caller.js";
import { Resources } from "./generated/resources.js";
import { follow, type EventsOptions } from "./events.js";
import type { Event, Tokens } from "./generated/types.js";
import type { CallOptions, ClientOptions, Surroundings } from "./options.js";
import { CurrentSession, MemoryTokens } from "./session.js";
import { sleep } from "./send.js";

/** What other parts of this package use of a client. */
export interface Internals extends Pick<Surroundings, "now" | "sleep"> {
  caller: Caller;
}

export let internalsOf: (client: Perennial) => Internals;

/** Calls that begin a session, and calls that end it. */
const BEGINS: ReadonlySet<string> = new Set(["signUp", "signIn"]);
const ENDS: ReadonlySet<string> = new Set(["logout", "revokeAllTokens", "deleteMyAccount"]);

/**
 * A client of Perennial. It holds the session of one person at most; on a server that speaks for many, each gets one of
 * their own: `client.with({ tokens })`.
 */
export class Perennial extends Resources {
  /** Whoever is signed in. Signing in and out through `auth` and `sessions` keeps it up to date. */
  readonly session: CurrentSession;
  readonly #options: ClientOptions;
  readonly #surroundings: Surroundings;
  readonly #caller: Caller;

  static {
    internalsOf = (client) => ({ caller: client.#caller, ...client.#surroundings });
  }

  constructor(options: ClientOptions) {
    const surroundings = { ...usual(), ...options.surroundings };
    const caller = new SignedCaller(options, surroundings, () => this.session);
    super(caller);
    this.#options = options;
    this.#surroundings = surroundings;
    this.#caller = caller;
    const exchange = (refreshToken: string): Promise<Tokens> => this.auth.refresh({ refresh_token: refreshToken });
    this.session = new CurrentSession(options.tokens ?? new MemoryTokens(), surroundings.now, exchange, options.onSignedOut);
  }

  /**
   * Every event from a place in the feed on, in order, without an end: it waits for the next one. Store the cursor that
   * `onCursor` receives, and pass it as `cursor` to continue there. An outage is waited for; a `CursorGone` is thrown.
   */
  events(options: EventsOptions = {}): AsyncGenerator<Event, void, undefined> {
    const list: Parameters<typeof follow>[0] = (query, calling) => this.feed.list(query, calling);
    return follow(list, options, this.#options.timeoutMs ?? 0, this.#surroundings);
  }

  /** A client like this one but for these options, with a session of its own. */
  with(options: Partial<ClientOptions>): Perennial {
    return new Perennial({ ...this.#options, tokens: undefined, ...options });
  }
}

/** A caller that notices when somebody signs in or out. */
class SignedCaller extends Caller {
  readonly #session: () => CurrentSession;

  constructor(options: ClientOptions, surroundings: Surroundings, session: () => CurrentSession) {
    super(options, surroundings, session);
    this.#session = session;
  }

  override async one<T extends object>(operation: Operation, sent: Sent, options: CallOptions): Promise<T> {
    const record = await super.one<T>(operation, sent, options);
    // A token that was given for one call is not the session's.
    if (options.token === undefined) {
      if (BEGINS.has(operation.id)) {
        await this.#session().keep(record as unknown as Tokens);
      } else if (ENDS.has(operation.id)) {
        await this.#session().forget();
      }
    }
    return record;
  }
}

function usual(): Surroundings {
  return {
    // Called anew each time, as something else may stand in its place by then.
    fetch: (...request) => fetch(...request),
    now: () => Date.now(),
    random: () => Math.random(),
    sleep,
  };
}
