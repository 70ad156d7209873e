// The metered prices of a plan, as records and as what a form has: text.

import type { Meter, Plan } from "../../lib/api.js";
import { rate } from "../../lib/money.js";

export interface Tier {
  up_to: number | null;
  unit_price: number;
  flat_price: number;
}

export interface Charge {
  meter_id: string;
  name: string;
  model: Model;
  unit_price?: number | null;
  tiers?: Tier[] | null;
  package?: { size: number; price: number } | null;
}

export const MODELS = {
  per_unit: "Per unit",
  graduated: "Graduated: each tier prices its part",
  volume: "Volume: one tier prices all",
  package: "Package: whole packages",
} as const;

export type Model = keyof typeof MODELS;

export interface TierDraft {
  up_to: string;
  unit_price: string;
  flat_price: string;
}

/** A charge as it is typed. What another model needs is kept until the form is closed. */
export interface Draft {
  meter_id: string;
  name: string;
  model: Model;
  unit_price: string;
  tiers: readonly TierDraft[];
  size: string;
  price: string;
}

export const newTier = (): TierDraft => ({ up_to: "", unit_price: "", flat_price: "" });

export const newDraft = (meter_id: string): Draft => ({ meter_id, name: "", model: "per_unit", unit_price: "", tiers: [newTier()], size: "", price: "" });

export const chargesOf = ({ billing }: Plan): Charge[] => (billing?.charges ?? []) as unknown as Charge[];

const text = (value: number | null | undefined): string => (value === null || value === undefined ? "" : String(value));

export function draftOf(charge: Charge): Draft {
  const tiers = (charge.tiers ?? []).map(({ up_to, unit_price, flat_price }) => ({ up_to: text(up_to), unit_price: text(unit_price), flat_price: flat_price === 0 ? "" : text(flat_price) }));
  return {
    meter_id: charge.meter_id,
    name: charge.name,
    model: charge.model,
    unit_price: text(charge.unit_price),
    tiers: tiers.length === 0 ? [newTier()] : tiers,
    size: text(charge.package?.size),
    price: text(charge.package?.price),
  };
}

/** What is not a number is sent as it is: the API names the error. */
const number = (typed: string): unknown => (typed.trim() !== "" && Number.isFinite(Number(typed)) ? Number(typed) : typed);

/** What is sent: the members of the model. The last tier has no end. */
export function chargeOf({ meter_id, name, model, unit_price, tiers, size, price }: Draft): Record<string, unknown> {
  const common = { meter_id, name, model };
  switch (model) {
    case "per_unit":
      return { ...common, unit_price: number(unit_price) };
    case "package":
      return { ...common, package: { size: number(size), price: number(price) } };
    default:
      return {
        ...common,
        tiers: tiers.map((tier, at) => ({
          up_to: at === tiers.length - 1 ? null : number(tier.up_to),
          unit_price: number(tier.unit_price),
          flat_price: tier.flat_price.trim() === "" ? 0 : number(tier.flat_price),
        })),
      };
  }
}

/** A price as one reads it: "$0.02 per call", or its tiers. */
export function priceWords({ model, unit_price, tiers, package: packed }: Charge, currency: string, unit: string): string {
  if (model === "package") {
    return `${rate(packed?.price ?? 0, currency)} per ${packed?.size ?? 1} ${unit}`;
  }
  if (model === "per_unit") {
    return `${rate(unit_price ?? 0, currency)} per ${unit}`;
  }
  const parts = (tiers ?? []).map(({ up_to, unit_price: each, flat_price }) => {
    const flat = flat_price > 0 ? ` + ${rate(flat_price, currency)}` : "";
    return `${up_to === null ? "above" : `up to ${up_to}`}: ${rate(each, currency)}${flat}`;
  });
  return parts.join("; ");
}

export const unitOf = (meters: readonly Meter[], id: string): string => meters.find((meter) => meter.id === id)?.unit ?? "unit";
