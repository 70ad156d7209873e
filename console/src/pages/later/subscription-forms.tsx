// The dialogs of a subscription.

import type { Plan, Subscription } from "../../lib/api.js";
import type { PlanPrice } from "../../lib/names.js";
import { CancelDialog } from "../parts/cancel.js";
import { ChangePlanDialog } from "../parts/change-plan.js";
import { EditDialog } from "../parts/edit-subscription.js";

export interface SubscriptionFormsProps {
  dialog: string;
  subscription: Subscription;
  customer: string;
  plan: Plan | undefined;
  version: PlanPrice | undefined;
  plans: readonly Plan[];
  close: () => void;
  saved: () => void;
}

export default function SubscriptionForms({ dialog, subscription, customer, plan, version, plans, close, saved }: SubscriptionFormsProps) {
  const common = { subscription, close, saved };
  switch (dialog) {
    case "cancel":
      return <CancelDialog {...common} customer={customer} />;
    case "plan":
      return <ChangePlanDialog {...common} plan={plan} version={version} plans={plans} />;
    default:
      return <EditDialog {...common} />;
  }
}
