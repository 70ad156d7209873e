// Times as text: always UTC, with the zone.

const DAY = new Intl.DateTimeFormat("en-US", { timeZone: "UTC", year: "numeric", month: "short", day: "numeric" });
const MOMENT = new Intl.DateTimeFormat("en-US", { timeZone: "UTC", dateStyle: "medium", timeStyle: "medium" });

/** Nov 24, 2026 */
export function day(instant: string): string {
  return DAY.format(new Date(instant));
}

/** Nov 24, 2026, 12:00:00 AM UTC */
export function moment(instant: string): string {
  return `${MOMENT.format(new Date(instant)).replace(/\u202f/g, " ")} UTC`;
}

/** The value of a date input, 2026-11-24, as an instant. */
export function startOfDay(date: string): string {
  return `${date}T00:00:00Z`;
}

/** The value of an input of date and time, read as UTC. */
export function toInput(instant: string | null): string {
  return instant === null ? "" : instant.slice(0, 19);
}

export function fromInput(text: string): string | null {
  return text === "" ? null : /T\d\d:\d\d$/.test(text) ? `${text}:00Z` : `${text}Z`;
}

/** An instant that many days from now. */
export function inDays(days: number, now = Date.now()): string {
  return new Date(now + days * 86_400_000).toISOString();
}
