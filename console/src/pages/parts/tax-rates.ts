// Tax rates as choices of forms.

import type { TaxRate } from "../../lib/api.js";
import { can } from "../../lib/session.js";
import { taxRates } from "./resources.js";

/** All of them, as far as the role may read them. */
export async function allTaxRates(): Promise<TaxRate[]> {
  const found: TaxRate[] = [];
  if (can("plans:read")) {
    for await (const rate of taxRates.each({ limit: 200 })) {
      found.push(rate);
    }
  }
  return found;
}

export function rateName(rates: readonly TaxRate[], id: string): string {
  const rate = rates.find((known) => known.id === id);
  return rate === undefined ? id : `${rate.name} ${rate.percentage} %`;
}

/** Active rates, and those that are chosen already. */
export function activeRates(rates: readonly TaxRate[], chosen: readonly string[]): [id: string, name: string][] {
  return rates.filter(({ id, is_active }) => is_active || chosen.includes(id)).map(({ id }) => [id, rateName(rates, id)]);
}
