// Months as text: `2026-04`.

/** The first day of the month that many months before this one: `2026-04`. */
export function monthsBefore(month: string, count: number): string {
  const [year = 0, number = 1] = month.split("-").map(Number);
  const index = year * 12 + number - 1 - count;
  return `${String(Math.floor(index / 12)).padStart(4, "0")}-${String((index % 12) + 1).padStart(2, "0")}`;
}

/** The last day of a month: `2026-02-28`. */
export function lastDay(month: string): string {
  const [year = 0, number = 1] = month.split("-").map(Number);
  return `${month}-${new Date(Date.UTC(year, number, 0)).getUTCDate()}`;
}
