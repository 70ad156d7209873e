// The arithmetic of plots: axes, labels, stacks.

/** Round values of an axis that includes all of these and zero. */
export function ticks(values: readonly number[], count = 4): number[] {
  const low = Math.min(0, ...values);
  const most = Math.max(0, ...values);
  const high = low === most ? 1 : most;
  const span = high - low;
  const power = 10 ** Math.floor(Math.log10(span / count));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((candidate) => span / candidate <= count) ?? 10 * power;
  const first = Math.floor(low / step);
  const last = Math.max(Math.ceil(high / step), first + 1);
  return Array.from({ length: last - first + 1 }, (_, at) => (first + at) * step);
}

/** 37,058 is 37.1K. Steps below 1 have two digits: 0.25, 0.075. */
export function short(value: number): string {
  const digits = Math.abs(value) < 1 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 1 };
  return new Intl.NumberFormat("en-US", { notation: "compact", ...digits }).format(value);
}

/** Every how many labels fit. */
export function labelStep(count: number, width: number): number {
  return Math.max(1, Math.ceil(count / Math.max(1, Math.floor(width / 52))));
}

export interface Bar {
  /** The series, which is the class of its color. */
  series: string;
  /** Above zero, or below it. */
  value: number;
  /** "New, 2026-04: $19.50" */
  label: string;
  href?: string | undefined;
}

/** Each bar with a value, from where to where: gains upward from zero, losses downward. */
export function stacked(bars: readonly Bar[]): { bar: Bar; from: number; to: number }[] {
  let [above, below] = [0, 0];
  const placed = [];
  for (const bar of bars.filter(({ value }) => value !== 0)) {
    const from = bar.value > 0 ? above : below;
    const to = from + bar.value;
    if (bar.value > 0) {
      above = to;
    } else {
      below = to;
    }
    placed.push({ bar, from, to });
  }
  return placed;
}
