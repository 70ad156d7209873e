// Whoever is signed in: their tokens, and how these are renewed. Every call asks here for the access token.
//
// A refresh token is good once. The service honours the one before for ten seconds, and after that for as long as its
// successor was never presented; so an exchange whose answer was lost may be tried again with the same token. Presenting
// an older one ends the session, in case it was stolen: so there is one exchange at a time, and the successor is kept before
// it is used.

import type { Tokens } from "./generated/types.js";
import type { Surroundings } from "./options.js";
import { PerennialProblem } from "./problem.js";

/** Plain data, to be kept wherever an app keeps such things. Both tokens are secrets. */
export interface StoredTokens {
  token: string;
  refreshToken: string;
  /** When the access token expires, in milliseconds by this machine's clock, whatever the service's says. */
  expiresAt: number;
}

/** Where tokens are kept. Tabs or processes that share one share a session. */
export interface TokenStore {
  get(): StoredTokens | undefined | Promise<StoredTokens | undefined>;
  set(tokens: StoredTokens | undefined): void | Promise<void>;
}

export class MemoryTokens implements TokenStore {
  #tokens: StoredTokens | undefined;

  constructor(tokens?: StoredTokens) {
    this.#tokens = tokens;
  }

  get(): StoredTokens | undefined {
    return this.#tokens;
  }

  set(tokens: StoredTokens | undefined): void {
    this.#tokens = tokens;
  }
}

/** A token this close to its end is renewed first, so that it does not expire on the way. */
const MARGIN_MS = 30_000;

const OVER: ReadonlySet<string> = new Set(["invalid_refresh_token", "refresh_token_expired", "refresh_token_reused"]);

/** Whoever is signed in with a client: `client.session`. */
export class CurrentSession {
  readonly #store: TokenStore;
  readonly #now: Surroundings["now"];
  readonly #exchange: (refreshToken: string) => Promise<Tokens>;
  readonly #onSignedOut: ((problem: PerennialProblem) => void) | undefined;
  #refreshing: Promise<StoredTokens | undefined> | undefined;

  constructor(
    store: TokenStore,
    now: Surroundings["now"],
    exchange: (refreshToken: string) => Promise<Tokens>,
    onSignedOut?: (problem: PerennialProblem) => void,
  ) {
    this.#store = store;
    this.#now = now;
    this.#exchange = exchange;
    this.#onSignedOut = onSignedOut;
  }

  /** An access token that is good for a while yet, or nothing if nobody is signed in. */
  async token(): Promise<string | undefined> {
    const held = await this.#store.get();
    if (held === undefined || held.expiresAt - MARGIN_MS > this.#now()) {
      return held?.token;
    }
    try {
      return (await this.#renew(held))?.token;
    } catch (failure) {
      // A service that cannot renew just now may still take a token that has not expired.
      if (!isOver(failure) && held.expiresAt > this.#now()) {
        return held.token;
      }
      throw failure;
    }
  }

  /** The token to use after this one was refused: the one that came in its place meanwhile, or a renewed one. */
  async tokenAfter(refused: string): Promise<string | undefined> {
    const held = await this.#store.get();
    return held === undefined || held.token !== refused ? held?.token : (await this.#renew(held))?.token;
  }

  /** Renews the tokens now. Calls do so by themselves when it is time. */
  async refresh(): Promise<void> {
    const held = await this.#store.get();
    if (held !== undefined) {
      await this.#renew(held);
    }
  }

  /** Takes over the tokens of a sign-in that happened elsewhere, say on your server. */
  async keep(tokens: Pick<Tokens, "token" | "refresh_token" | "expires_in">): Promise<void> {
    await this.#store.set(this.#stored(tokens));
  }

  /** Forgets the tokens. The service goes on honouring them: `sessions.logout()` ends the session there, too. */
  async forget(): Promise<void> {
    await this.#store.set(undefined);
  }

  /** However many ask, one exchange is under way. */
  #renew(stale: StoredTokens): Promise<StoredTokens | undefined> {
    this.#refreshing ??= this.#renewOnce(stale).finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #renewOnce(stale: StoredTokens): Promise<StoredTokens | undefined> {
    const before = await this.#store.get();
    if (before?.refreshToken !== stale.refreshToken) {
      return before;
    }
    let renewed: StoredTokens;
    try {
      renewed = this.#stored(await this.#exchange(stale.refreshToken));
    } catch (failure) {
      return await this.#afterFailure(failure, stale);
    }
    // Who signed out or in meanwhile meant it.
    const meanwhile = await this.#store.get();
    if (meanwhile?.refreshToken !== stale.refreshToken) {
      return meanwhile;
    }
    await this.#store.set(renewed);
    return renewed;
  }

  async #afterFailure(failure: unknown, stale: StoredTokens): Promise<StoredTokens | undefined> {
    if (isOver(failure)) {
      // Another tab may have been first, and long enough ago for ours to be refused.
      const held = await this.#store.get();
      if (held !== undefined && held.refreshToken !== stale.refreshToken) {
        return held;
      }
      await this.#store.set(undefined);
      this.#onSignedOut?.(failure);
    }
    throw failure;
  }

  #stored(tokens: Pick<Tokens, "token" | "refresh_token" | "expires_in">): StoredTokens {
    const expiresAt = this.#now() + tokens.expires_in * 1000;
    return { token: tokens.token, refreshToken: tokens.refresh_token, expiresAt };
  }
}

function isOver(failure: unknown): failure is PerennialProblem {
  return failure instanceof PerennialProblem && OVER.has(failure.code);
}
