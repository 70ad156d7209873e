// Money stays what it was.

import assert from "node:assert/strict";
import { test } from "node:test";
import { fromMinorUnits, toMinorUnits, UnexpectedAnswer } from "../src/index.js";
import { withService } from "./fake.js";

test("amounts become whole units and amounts again", () => {
  assert.equal(toMinorUnits(19.99), 1999n);
  assert.equal(toMinorUnits(0.1) + toMinorUnits(0.2), toMinorUnits(0.3));
  assert.equal(toMinorUnits(1.005, 3), 1005n);
  assert.equal(toMinorUnits(500, 0), 500n);
  for (const units of [0n, 1n, 99n, 100n, 1999n, -250n, 99_999_999_999_999n]) {
    assert.equal(toMinorUnits(fromMinorUnits(units)), units);
  }
  assert.equal(fromMinorUnits(5n), 0.05);
  assert.equal(fromMinorUnits(500n, 0), 500);
});

test("what is no exact amount is refused", () => {
  for (const amount of [0.1 + 0.2, 1.005, 1e21, 1e-7, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.throws(() => toMinorUnits(amount), RangeError);
  }
  assert.throws(() => fromMinorUnits(9_999_999_999_999_997n, 4), RangeError);
});

test("an amount goes out as it was written and comes in as it was sent", () =>
  withService(
    () => ({ status: 201, body: '{"data":{"amount":999999999999.99,"note":"12345678901234567890"}}' }),
    async (service) => {
      const payment = await service.client().payments.create({ subscription_id: "sub_1", amount: 999_999_999_999.99, currency: "USD" });
      assert.equal(payment.amount, 999_999_999_999.99);
      assert.ok(service.seen[0]?.body.includes('"amount":999999999999.99,'));
    },
  ));

test("a number that would be rounded is refused", () =>
  withService(
    () => ({ body: '{"data":{"amount":999999999999.9997,"note":"a \\" quote"}}' }),
    async (service) => {
      await assert.rejects(service.client().payments.get("pay_1"), (failure) => failure instanceof UnexpectedAnswer && failure.message.includes("999999999999.9997"));
    },
  ));
