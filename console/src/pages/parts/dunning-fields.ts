// Numbers, and when payment of an invoice is retried, as fields of forms.

import type { Field, Value } from "../../parts/fields.js";

/** What is not a number is sent as it is: the API names the error. */
const number = (text: string): unknown => (text !== "" && Number.isFinite(Number(text)) ? Number(text) : text);

export const numberOrNull = (value: Value): unknown => (value === "" ? null : number(String(value)));

/** `1, 3, 5` */
export const numbers = (value: Value): unknown[] => String(value).split(/[\s,]+/).filter((text) => text !== "").map(number);

export const DUNNING: readonly Field[] = [
  { name: "billing/dunning/retry_days", label: "Payment retries (days)", hint: "After the invoice was issued, in ascending order, such as 1, 3, 5, 7.", send: numbers },
  { name: "billing/dunning/grace_days", label: "Grace period (days)", kind: "number", hint: "Between the last attempt and the deadline.", send: numberOrNull },
  {
    name: "billing/dunning/then",
    label: "At the deadline",
    kind: "select",
    options: [
      ["unpaid", "The subscription becomes unpaid"],
      ["expire", "The subscription expires"],
    ],
  },
];
