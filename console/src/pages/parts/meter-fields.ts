// How meters count.

import type { MeterAggregation } from "../../lib/api.js";

export const AGGREGATIONS: Readonly<Record<MeterAggregation, string>> = {
  sum: "Sum of values",
  count: "Number of events",
  max: "Largest value",
  last: "Last value",
  unique: "Number of different keys",
};
