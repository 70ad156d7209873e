// One attempt over the network, and waiting.

import type { Surroundings } from "./options.js";
import { ConnectionFailed, TimedOut } from "./problem.js";

export interface Answer {
  status: number;
  headers: Headers;
  body: string;
}

export interface Request {
  method: string;
  credentials: "omit" | "same-origin";
  headers: Record<string, string>;
  body: string | undefined;
}

/** Sends a request once, and reads the whole answer within the time given. */
export async function send(
  fetch: Surroundings["fetch"],
  url: string,
  { method, credentials, headers, body }: Request,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  signal?.throwIfAborted();
  const stop = new AbortController();
  const onAbort = (): void => stop.abort(signal?.reason);
  signal?.addEventListener("abort", onAbort, { once: true });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    stop.abort();
  }, timeoutMs);
  try {
    const init: RequestInit & { cache: "no-store" } = {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      signal: stop.signal,
      // A redirect would carry the client's id to wherever it leads.
      redirect: "manual",
      // The record's own revision says whether it changed; a browser's cache must not answer in the service's place.
      cache: "no-store",
      credentials,
    };
    const response = await fetch(url, init);
    return { status: response.status, headers: response.headers, body: await response.text() };
  } catch (cause) {
    signal?.throwIfAborted();
    if (isLate) {
      throw new TimedOut(`${method} ${url} was not answered within ${timeoutMs} ms.`, { cause });
    }
    throw new ConnectionFailed(`${method} ${url} could not be sent, or its answer was cut short.`, { cause });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

export function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const slept = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  return abortable(slept, signal).finally(() => clearTimeout(timer));
}

/** Waits for something shared no longer than the caller wants to; it goes on for the others. */
export function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) {
    return work;
  }
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) {
      onAbort();
    }
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

/** A key of 128 random bits. It must be unlike all others; it need not be a secret. */
export function newKey(random: Surroundings["random"]): string {
  const piece = (): string => Math.floor(random() * 2 ** 32).toString(16).padStart(8, "0");
  return piece() + piece() + piece() + piece();
}
