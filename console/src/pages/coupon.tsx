// One coupon. Only whether it is active can change.

import { useLoad } from "../lib/load.js";
import { allPlans } from "../lib/names.js";
import { to } from "../lib/router.js";
import { planLabel } from "../lib/words.js";
import { Moment } from "../parts/basics.js";
import { discountWords, durationWords, redemptionWords } from "./parts/coupon-words.js";
import { coupons } from "./parts/resources.js";
import { SwitchablePage } from "./parts/switchable.js";

export default function CouponPage({ id }: { id: string }) {
  const { data: plans = [] } = useLoad("plans", () => allPlans.get());
  const link = (planId: string) => {
    const plan = plans.find((known) => known.id === planId);
    return <li key={planId}>{plan === undefined ? <code>{planId}</code> : <a href={to("plans", plan.slug)}>{planLabel(plan)}</a>}</li>;
  };
  return (
    <SwitchablePage
      id={id}
      list={["coupons", "Coupons"]}
      noun="coupon"
      path="/coupons"
      resource={coupons}
      name={({ code }) => code}
      terms={(coupon) => [
        ["Discount", discountWords(coupon)],
        ["Duration", durationWords(coupon)],
        ["Plans", coupon.plan_ids.length === 0 ? "All" : <ul dir="auto">{coupon.plan_ids.map(link)}</ul>],
        ["Redeemed", redemptionWords(coupon)],
        ["Redeem by", <Moment at={coupon.redeem_by} />],
      ]}
      consequence="It cannot be redeemed until you activate it. Subscriptions that redeemed it keep their discount."
    />
  );
}
