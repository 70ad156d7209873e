// What plans earn: paying subscriptions and MRR, from the ledger.

import { PerennialProblem, type PlanFigures } from "../../lib/api.js";
import { can } from "../../lib/session.js";
import { analytics } from "./resources.js";

/** The figures of the plans of these currencies, by plan. Undefined if the role or the server has no analytics. */
export async function planFigures(currencies: readonly string[]): Promise<Map<string, PlanFigures> | undefined> {
  if (!can("analytics:read")) {
    return undefined;
  }
  try {
    const lists = await Promise.all([...new Set(currencies)].map((currency) => analytics.plans({ currency })));
    return new Map(lists.flatMap(({ data }) => data).map((figures) => [figures.subscription_plan_id, figures]));
  } catch (failure) {
    if (failure instanceof PerennialProblem && failure.status === 404) {
      return undefined;
    }
    throw failure;
  }
}

/** The figures of one plan. Undefined if there are none for any plan. */
export function figuresOf(known: Map<string, PlanFigures> | undefined, id: string): Pick<PlanFigures, "subscriptions" | "mrr"> | undefined {
  return known === undefined ? undefined : (known.get(id) ?? { subscriptions: 0, mrr: 0 });
}
