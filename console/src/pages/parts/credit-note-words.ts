// What a credit note would credit, from what was typed.

import { money, plural, plus } from "../../lib/money.js";

/** "$20.00", or "$20.00 on 2 lines". Undefined if an amount is missing or is none: the API names the error. */
export function creditWords(typed: readonly unknown[], currency: string, byLines: boolean): string | undefined {
  const amounts = typed.map((amount) => String(amount).trim());
  if (amounts.length === 0 || !amounts.every((amount) => /^\d{1,12}(\.\d{1,4})?$/.test(amount))) {
    return undefined;
  }
  const sum = money(amounts.map(Number).reduce(plus, 0), currency);
  return byLines ? `${sum} on ${plural(amounts.length, "line")}` : sum;
}
