// Money as text. Amounts are multiplied in the currency's smallest units, never as floating point numbers.

import { fromMinorUnits, toMinorUnits } from "../../../clients/typescript/src/money.js";

/** $1,234.56, with as many decimals as the currency has. */
export function money(amount: number, currency: string): string {
  return formatter(currency).format(amount);
}

/** $0.0042: a price of usage, with up to 10 decimals. */
export function rate(amount: number, currency: string): string {
  const decimals = formatter(currency).resolvedOptions().maximumFractionDigits ?? 2;
  return new Intl.NumberFormat("en-US", { style: "currency", currency, maximumFractionDigits: Math.max(decimals, 10) }).format(amount);
}

/** The price of several units, exactly. */
export function times(amount: number, quantity: number, currency: string): number {
  const decimals = formatter(currency).resolvedOptions().maximumFractionDigits ?? 2;
  const digits = Math.max(decimals, fraction(amount));
  return fromMinorUnits(toMinorUnits(amount, digits) * BigInt(quantity), digits);
}

/** A sum of two amounts, exactly. */
export function plus(one: number, other: number): number {
  const digits = Math.max(fraction(one), fraction(other));
  return fromMinorUnits(toMinorUnits(one, digits) + toMinorUnits(other, digits), digits);
}

/** 1,234 */
export function count(value: number): string {
  return new Intl.NumberFormat("en-US").format(value);
}

function fraction(amount: number): number {
  return String(amount).split(".")[1]?.length ?? 0;
}

/** "1 customer", "1,234 customers" */
export function plural(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

const formatters = new Map<string, Intl.NumberFormat>();

function formatter(currency: string): Intl.NumberFormat {
  let known = formatters.get(currency);
  if (known === undefined) {
    known = new Intl.NumberFormat("en-US", { style: "currency", currency });
    formatters.set(currency, known);
  }
  return known;
}
