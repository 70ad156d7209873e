// What a coupon takes off, and for how long.

import type { Coupon } from "../../lib/api.js";
import { count, money, plural } from "../../lib/money.js";
import { words } from "../../lib/words.js";

export function discountWords({ percent, amount, currency }: Pick<Coupon, "percent" | "amount" | "currency">): string {
  return percent !== null ? `${percent} %` : money(amount ?? 0, currency ?? "USD");
}

export function durationWords({ duration, periods }: Pick<Coupon, "duration" | "periods">): string {
  return periods === null ? words(duration) : plural(periods, "period");
}

export function redemptionWords({ redemptions, max_redemptions }: Pick<Coupon, "redemptions" | "max_redemptions">): string {
  return max_redemptions === null ? count(redemptions) : `${count(redemptions)} of ${count(max_redemptions)}`;
}
