// What forms of billing send, and how prices are shown.

import assert from "node:assert/strict";
import { test } from "node:test";
import { plus, rate } from "../src/lib/money.js";
import { plain } from "../src/lib/words.js";
import { chargeOf, draftOf, newDraft, newTier, priceWords, type Charge } from "../src/pages/parts/charges.js";
import { isShownAt } from "../src/parts/fields.js";
import { creditWords } from "../src/pages/parts/credit-note-words.js";
import { discountWords, durationWords } from "../src/pages/parts/coupon-words.js";
import { numberOrNull, numbers } from "../src/pages/parts/dunning-fields.js";
import { changeOf, changeWords } from "../src/pages/parts/planned-change.js";

const common = { meter_id: "mtr_1", name: "Calls" };

test("amounts are added exactly", () => {
  assert.equal(plus(0.1, 0.2), 0.3);
  assert.equal(plus(15.1, -20), -4.9);
  assert.equal(plus(0, -0.005), -0.005);
});

test("a credit has the currency of its invoice, and none is confirmed before an amount is typed", () => {
  assert.equal(creditWords(["60.01"], "USD", false), "$60.01");
  assert.equal(creditWords([0.1, 0.2], "EUR", true), "€0.30 on 2 lines");
  assert.equal(creditWords([20], "JPY", true), "¥20 on 1 line");
  for (const [typed, byLines] of [[[""], false], [["much"], false], [[], true], [[1, "x"], true]] as const) {
    assert.equal(creditWords(typed, "USD", byLines), undefined);
  }
});

test("an error of a charge is shown once, at its part", () => {
  const charges = { name: "billing/charges", label: "Charges", input: () => null };
  const pointer = "/billing/charges/0/unit_price";
  assert.deepEqual(["", "/0", "/0/unit_price", "/1/unit_price"].filter((place) => isShownAt(pointer, "", charges, place)), ["/0/unit_price"]);
  assert.ok(isShownAt("/billing/charges", "", charges, ""));
  // A field with one input shows the errors of its items.
  assert.ok(isShownAt("/types/2", "", { name: "types", label: "Types" }, ""));
  assert.ok(!isShownAt("/types_2", "", { name: "types", label: "Types" }, ""));
});

test("a price of usage has up to 10 decimals", () => {
  assert.equal(rate(0.0042, "USD"), "$0.0042");
  assert.equal(rate(5, "USD"), "$5.00");
  assert.equal(rate(0.0000000001, "USD"), "$0.0000000001");
});

test("a charge sends the members of its model", () => {
  const draft = { ...newDraft("mtr_1"), name: "Calls", unit_price: "0.02", size: "1000", price: "5" };
  assert.deepEqual(chargeOf(draft), { ...common, model: "per_unit", unit_price: 0.02 });
  assert.deepEqual(chargeOf({ ...draft, model: "package" }), { ...common, model: "package", package: { size: 1000, price: 5 } });
  const tiers = [{ up_to: "100", unit_price: "0.1", flat_price: "" }, { up_to: "7", unit_price: "0.08", flat_price: "5" }];
  // The last tier has no end, also if one was typed before the tier after it was removed.
  assert.deepEqual(chargeOf({ ...draft, model: "volume", tiers }), {
    ...common,
    model: "volume",
    tiers: [
      { up_to: 100, unit_price: 0.1, flat_price: 0 },
      { up_to: null, unit_price: 0.08, flat_price: 5 },
    ],
  });
});

test("what is no number is sent as it is, so that the API names the error", () => {
  assert.deepEqual(chargeOf({ ...newDraft("mtr_1"), unit_price: "cheap" })["unit_price"], "cheap");
  assert.deepEqual(chargeOf({ ...newDraft("mtr_1"), unit_price: "" })["unit_price"], "");
  assert.equal(numberOrNull(""), null);
  assert.equal(numberOrNull("x"), "x");
  assert.deepEqual(numbers("1, 3 5"), [1, 3, 5]);
});

test("a charge is the same after it was a draft", () => {
  const charges: Charge[] = [
    { ...common, model: "per_unit", unit_price: 0 },
    { ...common, model: "package", package: { size: 10, price: 0.5 } },
    { ...common, model: "graduated", tiers: [{ up_to: 1.5, unit_price: 0, flat_price: 3 }, { up_to: null, unit_price: 1, flat_price: 0 }] },
  ];
  for (const charge of charges) {
    assert.deepEqual(chargeOf(draftOf(charge)), charge);
  }
  assert.deepEqual(draftOf({ ...common, model: "per_unit", unit_price: 1 }).tiers, [newTier()]);
});

test("prices of charges are words", () => {
  assert.equal(priceWords({ ...common, model: "per_unit", unit_price: 0.02 }, "USD", "call"), "$0.02 per call");
  assert.equal(priceWords({ ...common, model: "package", package: { size: 1000, price: 5 } }, "USD", "call"), "$5.00 per 1000 call");
  const tiers = [{ up_to: 100, unit_price: 0.1, flat_price: 0 }, { up_to: null, unit_price: 0.08, flat_price: 5 }];
  assert.equal(priceWords({ ...common, model: "volume", tiers }, "USD", "call"), "up to 100: $0.10; above: $0.08 + $5.00");
});

test("a change of plan acts now, or with the next period", () => {
  assert.deepEqual(changeOf({ quantity: 2 }), { quantity: 2 });
  assert.deepEqual(changeOf({ quantity: 2, prorate: false }), { quantity: 2, billing: { prorate: false } });
  assert.deepEqual(changeOf({ prorate: false }), {});
  assert.deepEqual(changeOf({ subscription_plan_id: "plan_1", when: "next_period" }), { billing: { change: { subscription_plan_id: "plan_1" } } });
  assert.deepEqual(changeOf({ quantity: 2, when: "next_period", prorate: false }), { billing: { change: { quantity: 2 } } });
});

test("a planned change is words", () => {
  assert.equal(changeWords({ subscription_plan_id: "plan_1", quantity: 3 }, []), "plan_1, quantity 3");
  assert.equal(changeWords({ subscription_plan_id: null, quantity: null }, []), "the current version of the plan");
});

test("coupons and lists are words", () => {
  assert.equal(discountWords({ percent: 12.5, amount: null, currency: null }), "12.5 %");
  assert.equal(discountWords({ percent: null, amount: 5, currency: "EUR" }), "€5.00");
  assert.equal(durationWords({ duration: "repeating", periods: 1 }), "1 period");
  assert.equal(durationWords({ duration: "forever", periods: null }), "Forever");
  assert.equal(plain(["a", "b"]), "a, b");
  assert.equal(plain([]), "—");
  assert.equal(plain([{ a: 1 }]), "1 item");
});
