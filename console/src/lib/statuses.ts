// The status tables of the API, to offer what is allowed. The API decides.

import type { PaymentStatus, SubscriptionStatus } from "./api.js";

export const CYCLES = ["daily", "weekly", "biweekly", "monthly", "quarterly", "semiannual", "yearly", "biennial", "lifetime"] as const;

const SUBSCRIPTION: Readonly<Record<SubscriptionStatus, readonly SubscriptionStatus[]>> = {
  pending: ["incomplete", "on_trial", "active", "cancelled", "expired"],
  incomplete: ["active", "on_trial", "cancelled", "expired"],
  on_trial: ["active", "past_due", "paused", "unpaid", "cancelled", "expired"],
  active: ["on_trial", "past_due", "unpaid", "paused", "cancelled", "expired"],
  past_due: ["active", "unpaid", "paused", "cancelled", "expired"],
  unpaid: ["active", "past_due", "paused", "cancelled", "expired"],
  paused: ["active", "on_trial", "past_due", "unpaid", "cancelled", "expired"],
  cancelled: ["active", "on_trial", "past_due", "unpaid", "paused", "expired"],
  expired: [],
};

/** Of billed subscriptions, the service manages the status. */
const BILLED: Readonly<Record<SubscriptionStatus, readonly SubscriptionStatus[]>> = {
  pending: ["expired"],
  incomplete: ["expired"],
  on_trial: ["active", "paused", "cancelled", "expired"],
  active: ["paused", "cancelled", "expired"],
  past_due: ["paused", "cancelled", "expired"],
  unpaid: ["expired"],
  paused: ["active", "expired"],
  cancelled: ["active", "expired"],
  expired: [],
};

/** The statuses in which the plan of a billed subscription can change. */
const CHANGEABLE: readonly SubscriptionStatus[] = ["pending", "on_trial", "active", "past_due"];

const PAYMENT: Readonly<Record<PaymentStatus, readonly PaymentStatus[]>> = {
  pending: ["processing", "completed", "failed", "void"],
  processing: ["completed", "failed", "void"],
  failed: ["pending", "processing", "completed", "void"],
  completed: ["partially_refunded", "refunded", "disputed", "void"],
  partially_refunded: ["refunded", "disputed"],
  disputed: ["completed", "partially_refunded", "refunded"],
  refunded: [],
  void: [],
};

export const SUBSCRIPTION_STATUSES = Object.keys(SUBSCRIPTION) as SubscriptionStatus[];
export const PAYMENT_STATUSES = Object.keys(PAYMENT) as PaymentStatus[];

type Managed = { status: SubscriptionStatus; billing: object | null };

export const nextOfSubscription = ({ status, billing }: Managed): readonly SubscriptionStatus[] => (billing === null ? SUBSCRIPTION : BILLED)[status] ?? [];
export const canChangePlan = ({ status, billing }: Managed): boolean => (billing === null ? status !== "expired" : CHANGEABLE.includes(status));
export const nextOfPayment = (status: PaymentStatus): readonly PaymentStatus[] => PAYMENT[status] ?? [];

/** Why a subscription gives no access; undefined if it does. */
export function reasonWithoutAccess(
  { status, is_active, has_access, starts_at, ends_at }: { status: SubscriptionStatus; is_active: boolean; has_access: boolean; starts_at: string; ends_at: string | null },
  now: number,
): string | undefined {
  if (has_access) {
    return undefined;
  }
  if (Date.parse(starts_at) > now) {
    return "it has not started";
  }
  if (ends_at !== null && Date.parse(ends_at) <= now) {
    return "it has ended";
  }
  const gives = ["on_trial", "active", "past_due", "cancelled"].includes(status);
  if (!gives) {
    return `the status is ${status.replace(/_/g, " ")}`;
  }
  return is_active ? "it is cancelled without an end" : "it is not active";
}
