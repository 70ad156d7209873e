// Money stays exact. The API sends and takes it as a JSON number, and so does this package: a number (a double) holds every
// decimal of up to 15 digits such that it prints as the same decimal again, which covers all amounts the service takes in
// currencies of up to three decimals. What it could not hold is refused when it is read, instead of being rounded.
// Computing is another matter, 0.1 + 0.2 is not 0.3: do it in the currency's smallest units, which are whole.

/** 19.99 as 1999n. `decimals` is how many the currency has: 2 unless given. */
export function toMinorUnits(amount: number, decimals = 2): bigint {
  const parts = /^(-?)(\d+)(?:\.(\d+))?$/.exec(String(amount));
  const fraction = parts?.[3] ?? "";
  if (parts === null || fraction.length > decimals) {
    throw new RangeError(`${amount} is no amount with at most ${decimals} decimals.`);
  }
  return BigInt(`${parts[1]}${parts[2]}${fraction.padEnd(decimals, "0")}`);
}

/** 1999n as 19.99. */
export function fromMinorUnits(units: bigint, decimals = 2): number {
  const sign = units < 0n ? "-" : "";
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const amount = Number(`${sign}${whole}.${digits.slice(digits.length - decimals)}0`);
  if (toMinorUnits(amount, decimals) !== units) {
    throw new RangeError(`${units} smallest units are more than a number holds exactly.`);
  }
  return amount;
}

/** A number in the text of an answer that a double would change, if there is one. */
export function inexactNumber(json: string): string | undefined {
  // Nearly every answer ends here: it has no number so long, not even in a text.
  if (!/[\d.]{16}/.test(json)) {
    return undefined;
  }
  const withoutTexts = json.replace(/"[^"\\]*(?:\\.[^"\\]*)*"/g, '""');
  return withoutTexts.match(/-?\d[\d.]*(?:[eE][+-]?\d+)?/g)?.find((number) => !isExact(number) && String(Number(number)) !== number);
}

function isExact(decimal: string): boolean {
  return decimal.replace(/[^\d]/g, "").length <= 15;
}
