// The figures of the analytics API, with the generated types.

import type { Analytics } from "../../../clients/typescript/src/generated/resources.js";
import type { FiguresOf, PageOf } from "../../../clients/typescript/src/pages.js";
import { api, type AnalyticsMeta, type Movement, type MovementKind, type MovementQuery } from "./api.js";
import { currentSession } from "./session.js";

export type Meta = AnalyticsMeta;

/** Figures of all currencies together have none; those that the console shows are of one. */
export const currencyOf = ({ currency }: Meta): string => currency ?? currentSession()?.organization.currency ?? "";

/** In the order of the plots. */
export const KINDS: readonly MovementKind[] = ["new", "expansion", "reactivation", "contraction", "churned"];

export const analytics: Analytics = api.analytics;

/** A page of movements; `meta` is next to the rows, as in the other figures. */
export async function movements(query: MovementQuery): Promise<PageOf<Movement> & FiguresOf<Movement>> {
  return (await analytics.listMovements(query)) as PageOf<Movement> & FiguresOf<Movement>;
}
