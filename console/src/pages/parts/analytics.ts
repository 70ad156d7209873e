// The figures of the analytics API, with the generated types.

import type { FiguresOf } from "../../../../clients/typescript/src/pages.js";
import type { AnalyticsMeta, Movement, MovementKind, MovementQuery, PageOf } from "../../lib/api.js";
import { currentSession } from "../../lib/session.js";
import { analytics } from "./resources.js";

export type Meta = AnalyticsMeta;

/** Figures of all currencies together have none; those that the console shows are of one. */
export const currencyOf = ({ currency }: Meta): string => currency ?? currentSession()?.organization.currency ?? "";

/** In the order of the plots. */
export const KINDS: readonly MovementKind[] = ["new", "expansion", "reactivation", "contraction", "churned"];

/** A page of movements; `meta` is next to the rows, as in the other figures. */
export async function movements(query: MovementQuery): Promise<PageOf<Movement> & FiguresOf<Movement>> {
  return (await analytics.listMovements(query)) as PageOf<Movement> & FiguresOf<Movement>;
}
