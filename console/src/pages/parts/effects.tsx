// What a change of a billed subscription would do: a dry run of it. The page computes nothing itself.

import { useEffect, useState } from "preact/hooks";
import { guarded, shown, tryUpdate, type Document, type DryRun, type Plan, type Subscription } from "../../lib/api.js";
import { money } from "../../lib/money.js";
import { plain, words } from "../../lib/words.js";
import { changeWords } from "./planned-change.js";

/** How long the values must stay the same before they are tried. */
const PAUSE_MS = 250;

export function useDryRun(id: string, body: object): { result?: DryRun; error?: unknown } {
  const [state, setState] = useState<{ result?: DryRun; error?: unknown }>({});
  const text = JSON.stringify(body);
  useEffect(() => {
    let isCurrent = true;
    const set = (next: { result?: DryRun; error?: unknown }): void => (isCurrent ? setState(next) : undefined);
    const timer = setTimeout(() => {
      guarded(() => tryUpdate(id, JSON.parse(text) as object)).then(
        (result) => set({ result }),
        (error: unknown) => set({ error }),
      );
    }, PAUSE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [id, text]);
  return state;
}

export function Effects({ subscription, body, plans = [] }: { subscription: Subscription; body: object; plans?: readonly Plan[] }) {
  const { result, error } = useDryRun(subscription.id, body);
  if (error !== undefined) {
    return <p dir="auto">This change would be rejected: {shown(error).detail}</p>;
  }
  if (result === undefined) {
    return <p class="faint">Checking what follows…</p>;
  }
  const rows = consequences(subscription, result.data, plans);
  return (
    <>
      <ul>
        {rows.map(([name, before, after]) => (
          <li key={name}>
            {name}: <del>{before}</del> → <ins>{after}</ins>
          </li>
        ))}
        {result.documents.invoices.map((document, at) => (
          <Issued key={`invoice ${at}`} name="Invoice" document={document} />
        ))}
        {result.documents.credit_notes.map((document, at) => (
          <Issued key={`credit note ${at}`} name="Credit note" document={document} />
        ))}
      </ul>
      {result.documents.invoices.length + result.documents.credit_notes.length === 0 && <p>No invoice and no credit note is issued now.</p>}
    </>
  );
}

function Issued({ name, document: { total, currency = "USD", lines = [] } }: { name: string; document: Document }) {
  return (
    <li>
      {name}: <ins>{total === undefined ? "—" : money(total, currency)}</ins>
      {lines.map(({ kind = "item", description, amount }, at) => (
        <div key={at} class="faint" dir="auto">
          {words(kind)}, {description ?? "—"}: {amount === undefined ? "—" : money(amount, currency)}
        </div>
      ))}
    </li>
  );
}

/** What the service sets as a consequence, where it differs. */
function consequences(before: Subscription, after: Subscription, plans: readonly Plan[]): [name: string, before: string, after: string][] {
  const flat = ({ renews_at, ends_at, has_access, billing }: Subscription): Record<string, unknown> => ({
    renews_at,
    ends_at,
    has_access,
    period_start: billing?.period_start,
    trial_ends_at: billing?.trial_ends_at,
    planned_change: billing?.change && changeWords(billing.change, plans),
    coupon: billing?.discount?.coupon_id,
    next_action: billing?.next_action && words(billing.next_action),
    next_action_at: billing?.next_action_at,
  });
  const [old, next] = [flat(before), flat(after)];
  return Object.keys(old)
    .filter((name) => old[name] !== next[name])
    .map((name) => [words(name), shownAs(old[name]), shownAs(next[name])]);
}

const shownAs = (value: unknown): string => (typeof value === "boolean" ? (value ? "Yes" : "No") : plain(value));
