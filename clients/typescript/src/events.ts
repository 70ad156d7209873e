// The feed of events, followed for as long as the caller likes. At the end of the feed a call waits for the next event.
//
// The cursor of a page is passed on only after all events of the page were handled: after a crash, the page is read again.

import type { Event, EventQuery, EventType, Instant } from "./generated/types.js";
import type { CallOptions, Surroundings } from "./options.js";
import type { PageOf } from "./pages.js";
import { PerennialProblem } from "./problem.js";
import { mayPass } from "./retry.js";

export interface EventsOptions {
  /** Types of events: `payment.created`, or `subscription.*`; all unless given. */
  types?: readonly (EventType | (string & {}))[] | undefined;
  /** Where to begin without a cursor: `oldest` (unless given), `newest`, or a time. */
  start?: "oldest" | "newest" | Instant | Date | undefined;
  /** The last cursor that `onCursor` received. */
  cursor?: string | undefined;
  /** Called after all events of a page were handled, and after an empty page. Store the cursor. */
  onCursor?: ((cursor: string) => void | Promise<void>) | undefined;
  /** For how many seconds a call waits for the next event, 1 to 25; 25 unless given. */
  waitSeconds?: number | undefined;
  /** Ends the iteration with its reason. */
  signal?: AbortSignal | undefined;
}

type List = (query: EventQuery, options: CallOptions) => Promise<PageOf<Event>>;

/** The most that the service waits. */
export const WAIT_SECONDS = 25;
/** A call that waits needs this much time, whatever the client's timeout is. */
const TIMEOUT_MS = 35_000;
/** The pause after a call that failed although it was retried, and after one that should have waited and did not. */
const PAUSE_MS = 1_000;

export async function* follow(
  list: List,
  options: EventsOptions,
  timeoutMs: number,
  { now, sleep }: Surroundings,
): AsyncGenerator<Event, void, undefined> {
  const { signal, onCursor } = options;
  const calling = { signal, timeoutMs: Math.max(timeoutMs, TIMEOUT_MS) };
  const type = options.types?.join(",");
  let cursor = options.cursor;
  let isFirst = true;
  for (;;) {
    const since = now();
    let read: PageOf<Event>;
    try {
      // Without a cursor it does not wait, so that the caller has one to store from the first moment on.
      const place = cursor === undefined ? { start: startOf(options) } : { cursor, wait: options.waitSeconds ?? WAIT_SECONDS };
      read = await list({ type, limit: 200, ...place }, calling);
    } catch (failure) {
      // A mistake in the address should be noticed, and an outage later on should not end a consumer.
      if (isFirst || !mayPass(failure, true)) {
        throw failure;
      }
      await sleep(Math.max(PAUSE_MS, failure instanceof PerennialProblem ? (failure.retryAfterMs ?? 0) : 0), signal);
      continue;
    }
    isFirst = false;
    yield* read.data;
    const isEnd = cursor !== undefined && read.data.length === 0 && !read.page.has_more;
    const next = read.page.next_cursor ?? undefined;
    if (next !== undefined) {
      cursor = next;
      await onCursor?.(next);
    }
    // A server that is stopping, or on which too many calls wait already, returns at once.
    if (isEnd && now() - since < PAUSE_MS) {
      await sleep(PAUSE_MS, signal);
    }
  }
}

function startOf({ start }: EventsOptions): string | undefined {
  return start instanceof Date ? start.toISOString() : start;
}
