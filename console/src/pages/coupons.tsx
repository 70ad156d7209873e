// The list of coupons.

import type { Coupon, CouponDuration } from "../lib/api.js";
import { useLoad } from "../lib/load.js";
import { allPlans } from "../lib/names.js";
import { to } from "../lib/router.js";
import { currentSession } from "../lib/session.js";
import { fromInput } from "../lib/time.js";
import { planLabel } from "../lib/words.js";
import { Day } from "../parts/basics.js";
import { choices, type Field, type Value, type Values } from "../parts/fields.js";
import type { Column } from "../parts/table.js";
import { discountWords, durationWords, redemptionWords } from "./parts/coupon-words.js";
import { NewRecordList, stateColumn } from "./parts/new-record.js";
import { coupons } from "./parts/resources.js";
import { Catalog } from "./parts/sections.js";

const COLUMNS: readonly Column<Coupon>[] = [
  { name: "Code", show: ({ id, code }) => <a href={to("coupons", id)}>{code}</a>, text: ({ code }) => code },
  { name: "Discount", isNumber: true, show: discountWords, text: discountWords },
  { name: "Duration", show: durationWords, text: durationWords },
  { name: "Redeemed", isNumber: true, show: redemptionWords, text: ({ redemptions }) => redemptions },
  { name: "Redeem by", show: ({ redeem_by }) => <Day at={redeem_by} />, text: ({ redeem_by }) => redeem_by },
  stateColumn,
  { name: "Created", show: ({ created_at }) => <Day at={created_at} />, text: ({ created_at }) => created_at },
];

const DURATIONS: readonly CouponDuration[] = ["once", "repeating", "forever"];
const isPercent = (values: Values): boolean => values["kind"] === "percent";

function fieldsOf(plans: readonly (readonly [string, string])[]): Field[] {
  const fields: Field[] = [
    { name: "code", label: "Code", hint: "3 to 64 letters, digits, - and _. Upper and lower case are the same." },
    {
      name: "kind",
      label: "Discount",
      kind: "select",
      options: [
        ["percent", "A percentage"],
        ["amount", "An amount per period"],
      ],
      send: () => undefined,
    },
    { name: "percent", label: "Percent", kind: "number", hint: "With at most 2 decimals.", when: isPercent },
    { name: "amount", label: "Amount", kind: "number", when: (values) => !isPercent(values) },
    { name: "currency", label: "Currency", when: (values) => !isPercent(values) },
    { name: "duration", label: "Duration", kind: "select", options: choices(DURATIONS) },
    { name: "periods", label: "Periods", kind: "number", hint: "1 to 120.", when: ({ duration }) => duration === "repeating" },
    { name: "redeem_by", label: "Redeem by (UTC)", kind: "datetime-local", hint: "Optional.", send: (value: Value) => fromInput(String(value)) ?? undefined },
    { name: "max_redemptions", label: "Redemptions at most", kind: "number", hint: "Optional." },
  ];
  return plans.length === 0 ? fields : [...fields, { name: "plan_ids", label: "Plans", kind: "checks", options: plans, hint: "None means all plans." }];
}

export default function Coupons() {
  const { data: plans = [] } = useLoad("plans", () => allPlans.get());
  const currency = currentSession()?.organization.currency ?? "USD";
  return (
    <>
      <Catalog current="coupons" />
      <NewRecordList
        name="Coupons"
        page="coupons"
        noun="coupon"
        columns={COLUMNS}
        load={(query) => coupons.list(query)}
        fields={fieldsOf(plans.map((plan) => [plan.id, planLabel(plan)]))}
        values={{ code: "", kind: "percent", percent: "", amount: "", currency, duration: "once", periods: "", redeem_by: "", max_redemptions: "", plan_ids: [] }}
        create={(body, options) => coupons.create(body as never, options)}
        empty="Coupons that billed subscriptions can redeem appear here."
      />
    </>
  );
}
