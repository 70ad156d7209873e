// The figures of the analytics API (`/analytics/…`). These types are to be replaced by the generated ones.

import { Caller, type Operation } from "../../../clients/typescript/src/caller.js";
import { caller } from "./api.js";

export interface Meta {
  /** The figures are complete up to this time. */
  as_of: string;
  sequence: number;
  lag_seconds: number;
  state: "current" | "catching_up" | "rebuilding";
  currency: string;
  /** The currencies with a movement, sorted. */
  currencies: string[];
}

export interface Figures<T> {
  data: T[];
  meta: Meta;
}

export interface Revenue {
  /** `2026-04` or `2026-04-05`. */
  period: string;
  start: number;
  new: number;
  expansion: number;
  reactivation: number;
  contraction: number;
  churned: number;
  end: number;
  committed: number;
  arr: number;
  customers_start: number;
  customers_new: number;
  customers_reactivated: number;
  customers_churned: number;
  customers_end: number;
  subscriptions: number;
  arpu: number | null;
  logo_churn: number | null;
  gross_churn: number | null;
  nrr: number | null;
  grr: number | null;
  ltv: number | null;
}

export const KINDS = ["new", "expansion", "reactivation", "contraction", "churned"] as const;
export type Kind = (typeof KINDS)[number];

export interface Movement {
  date: string;
  user_id: string;
  kind: Kind;
  amount: number;
  /** After it. */
  mrr: number;
}

export interface Cohort {
  cohort: string;
  customers: number;
  mrr: number;
  cells: { month: number; customers: number; mrr: number; customer_retention: number | null; revenue_retention: number | null }[];
}

export interface PaymentFigures {
  period: string;
  failure_rate: number | null;
  collected: { count: number; amount: number };
  refunded: { count: number; amount: number };
  failed: { count: number; amount: number };
}

export interface PlanFigures {
  subscription_plan_id: string;
  slug: string;
  name: string;
  subscriptions: number;
  mrr: number;
}

export interface MovementPage extends Figures<Movement> {
  page: { next_cursor: string | null; has_more: boolean; limit: number };
}

type Query = Record<string, string | number | undefined>;

/** The whole response: the figures with `meta` next to them. */
async function read<T>(name: string, query: Query): Promise<T> {
  const operation: Operation = { id: name, method: "GET", path: `/analytics/${name}`, access: "client", keyed: false, repeatable: true };
  return (await (caller as Caller).page(operation, { query }, {})) as unknown as T;
}

export const revenue = (query: Query): Promise<Figures<Revenue>> => read("revenue", query);
export const movements = (query: Query): Promise<MovementPage> => read("movements", query);
export const cohorts = (query: Query): Promise<Figures<Cohort>> => read("cohorts", query);
export const payments = (query: Query): Promise<Figures<PaymentFigures>> => read("payments", query);
export const planFigures = (query: Query): Promise<Figures<PlanFigures>> => read("plans", query);
