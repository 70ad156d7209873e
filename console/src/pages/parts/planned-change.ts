// The planned change of a billed subscription as words.

import type { Plan, SubscriptionBilling } from "../../lib/api.js";

/** What changes with the next period. */
export function changeWords({ subscription_plan_id, quantity }: NonNullable<SubscriptionBilling["change"]>, plans: readonly Plan[]): string {
  const plan = subscription_plan_id === null ? undefined : (plans.find(({ id }) => id === subscription_plan_id)?.name ?? subscription_plan_id);
  return [plan, quantity === null ? undefined : `quantity ${quantity}`].filter(Boolean).join(", ") || "the current version of the plan";
}
