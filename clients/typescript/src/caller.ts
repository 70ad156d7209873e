// One call from beginning to end: its request, its attempts, and the token it goes with.

import { etagOf, remember } from "./answers.js";
import { inexactNumber } from "./money.js";
import type { CallOptions, ChangeOptions, ClientOptions, CreateOptions, ReadOptions, Surroundings } from "./options.js";
import type { FiguresOf, PageOf } from "./pages.js";
import { PerennialError, PerennialProblem, refusal, UnexpectedAnswer } from "./problem.js";
import { Retries } from "./retry.js";
import { abortable, newKey, send, type Answer, type Request } from "./send.js";
import type { CurrentSession } from "./session.js";

/** What the generated half says of a call. */
export interface Operation {
  id: string;
  method: string;
  path: string;
  access: "open" | "client" | "user" | "clientOrUser";
  /** Whether it takes an `Idempotency-Key`. */
  keyed: boolean;
  /** Whether sending it again does no harm. */
  repeatable: boolean;
}

export interface Sent {
  path?: Readonly<Record<string, string>>;
  query?: object;
  body?: object;
}

type AnyOptions = CallOptions & CreateOptions & ReadOptions<object> & ChangeOptions;

export class Caller {
  readonly #base: string;
  readonly #options: ClientOptions;
  readonly #surroundings: Surroundings;
  readonly #retries: Retries;
  readonly #session: () => CurrentSession;

  constructor(options: ClientOptions, surroundings: Surroundings, session: () => CurrentSession) {
    this.#base = checked(options.baseUrl).replace(/\/+$/, "");
    this.#options = options;
    this.#surroundings = surroundings;
    this.#retries = new Retries(options.retry ?? {}, surroundings.random);
    this.#session = session;
  }

  get #isOperator(): boolean {
    return this.#options.credentials === "operator";
  }

  /** A call that answers one record. */
  async one<T extends object>(operation: Operation, sent: Sent, options: AnyOptions): Promise<T> {
    const answer = await this.#perform(operation, sent, options);
    if (answer.status === 304 && options.ifNoneMatch !== undefined) {
      return options.ifNoneMatch as T;
    }
    const { data } = read<{ data: T }>(answer);
    return remember(data, answer.status, answer.headers);
  }

  /** A call that answers a page of records, and next to it the members of `M`. */
  async page<T, M = unknown>(operation: Operation, sent: Sent, options: CallOptions): Promise<PageOf<T> & M> {
    const answer = await this.#perform(operation, sent, options);
    return remember(read<PageOf<T> & M>(answer), answer.status, answer.headers);
  }

  /** A call that answers rows of figures. */
  async figures<T>(operation: Operation, sent: Sent, options: CallOptions): Promise<FiguresOf<T>> {
    const answer = await this.#perform(operation, sent, options);
    return remember(read<FiguresOf<T>>(answer), answer.status, answer.headers);
  }

  async #perform(operation: Operation, sent: Sent, options: AnyOptions): Promise<Answer> {
    const url = this.#base + target(operation.path, sent);
    const headers = this.#headers(operation, sent, options);
    const body = sent.body === undefined ? undefined : JSON.stringify(sent.body);
    const credentials = this.#isOperator ? "same-origin" : "omit";
    let token = await this.#token(operation, options);
    let isRenewed = false;
    for (let attempt = 1; ; ) {
      if (token !== undefined) {
        headers["authorization"] = `Bearer ${token}`;
      }
      try {
        return await this.#attempt(url, { method: operation.method, credentials, headers, body }, options);
      } catch (failure) {
        const next = isRenewed ? undefined : await this.#tokenAfter(failure, token, options);
        if (next !== undefined) {
          token = next;
          isRenewed = true;
          continue;
        }
        await this.#pause(failure, operation, attempt, options);
        attempt += 1;
      }
    }
  }

  /** Sends it once. Whatever is no success is thrown. */
  async #attempt(url: string, request: Request, options: CallOptions): Promise<Answer> {
    const timeoutMs = options.timeoutMs ?? this.#options.timeoutMs ?? 30_000;
    const answer = await send(this.#surroundings.fetch, url, request, timeoutMs, options.signal);
    if (answer.status === 304 || (answer.status >= 200 && answer.status < 300)) {
      return answer;
    }
    throw refusal(answer.status, answer.headers, answer.body, this.#surroundings.now());
  }

  /** Waits until it is time for the next attempt, or throws the failure if there is to be none. */
  async #pause(failure: unknown, operation: Operation, attempt: number, options: CallOptions): Promise<void> {
    const wait = this.#retries.wait(failure, operation.repeatable, attempt);
    if (wait === undefined) {
      if (failure instanceof PerennialError) {
        failure.attempts = attempt;
      }
      throw failure;
    }
    await this.#surroundings.sleep(wait, options.signal);
  }

  async #token(operation: Operation, options: CallOptions): Promise<string | undefined> {
    options.signal?.throwIfAborted();
    if (this.#isOperator || (operation.access !== "user" && operation.access !== "clientOrUser")) {
      return undefined;
    }
    return options.token ?? (await abortable(this.#session().token(), options.signal));
  }

  /** Another token in place of one of the session's that was refused, if that is what went wrong. */
  async #tokenAfter(failure: unknown, token: string | undefined, options: CallOptions): Promise<string | undefined> {
    if (!isRefusedToken(failure) || token === undefined || options.token !== undefined) {
      return undefined;
    }
    return await abortable(this.#session().tokenAfter(token), options.signal);
  }

  #headers(operation: Operation, sent: Sent, options: AnyOptions): Record<string, string> {
    const headers: Record<string, string> = { ...this.#options.headers, ...options.headers };
    if (this.#isOperator) {
      headers["x-perennial-console"] = "1";
    } else {
      headers["client-id"] = this.#options.clientId;
    }
    headers["accept"] = "application/json";
    if (sent.body !== undefined) {
      headers["content-type"] = "application/json";
    }
    if (operation.keyed) {
      headers["idempotency-key"] = options.idempotencyKey ?? newKey(this.#surroundings.random);
    }
    if (options.ifMatch !== undefined) {
      headers["if-match"] = etagOf(options.ifMatch);
    }
    if (options.ifNoneMatch !== undefined) {
      headers["if-none-match"] = etagOf(options.ifNoneMatch);
    }
    return headers;
  }
}

function checked(baseUrl: string): string {
  if (!/^https?:\/\/[^/?#]+[^?#]*$/.test(baseUrl)) {
    throw new TypeError(`\`baseUrl\` must be like https://billing.example.com; ${JSON.stringify(baseUrl)} is not.`);
  }
  return baseUrl;
}

function target(path: string, { path: parameters = {}, query = {} }: Sent): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => segment(name, parameters[name]));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) {
      search.set(name, String(value));
    }
  }
  const asked = search.toString();
  return asked === "" ? filled : `${filled}?${asked}`;
}

/** One segment of a path. Some texts would make it another path: they name no record, and are a mistake. */
function segment(name: string, value: unknown): string {
  if (typeof value !== "string" || value === "" || value === "." || value === "..") {
    throw new TypeError(`\`${name}\` must name a record; ${JSON.stringify(value)} does not.`);
  }
  return encodeURIComponent(value);
}

function isRefusedToken(failure: unknown): boolean {
  return failure instanceof PerennialProblem && failure.code === "invalid_token";
}

function read<T extends { data: unknown }>({ status, body }: Answer): T {
  const inexact = inexactNumber(body);
  if (inexact !== undefined) {
    throw new UnexpectedAnswer(status, body, undefined, `has a number that cannot be held exactly, ${inexact}`);
  }
  let value: Partial<T> | null;
  try {
    value = JSON.parse(body) as Partial<T> | null;
  } catch {
    value = null;
  }
  if (typeof value?.data !== "object" || value.data === null) {
    throw new UnexpectedAnswer(status, body);
  }
  return value as T;
}
