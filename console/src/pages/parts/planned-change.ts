// Changes of a billed subscription: what is sent, and the planned one as words.

import type { Plan, SubscriptionBilling } from "../../lib/api.js";

/** What changes with the next period. */
export function changeWords({ subscription_plan_id, quantity }: NonNullable<SubscriptionBilling["change"]>, plans: readonly Plan[]): string {
  const plan = subscription_plan_id === null ? undefined : (plans.find(({ id }) => id === subscription_plan_id)?.name ?? subscription_plan_id);
  return [plan, quantity === null ? undefined : `quantity ${quantity}`].filter(Boolean).join(", ") || "the current version of the plan";
}

/** What the choices of a form become: a change now, or the planned change of the next period. */
export function changeOf(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { when, prorate, ...moved } = body;
  if (when === "next_period") {
    return { billing: { change: moved } };
  }
  return prorate === undefined || Object.keys(moved).length === 0 ? moved : { ...moved, billing: { prorate } };
}
