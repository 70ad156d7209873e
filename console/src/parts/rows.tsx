// Columns and small tables that several pages share.

import { useState } from "preact/hooks";
import { guarded, type PageOf, type Payment, type Subscription } from "../lib/api.js";
import type { SubscriptionRow } from "../lib/names.js";
import { useLoad } from "../lib/load.js";
import { money } from "../lib/money.js";
import { to } from "../lib/router.js";
import { planLabel } from "../lib/words.js";
import { Day, Status } from "./basics.js";
import { Problem } from "./problem.js";
import { Table, type Column } from "./table.js";

export const subscriptionColumns: readonly Column<SubscriptionRow>[] = [
  {
    name: "Customer",
    show: ({ subscription, customer }) => <a href={to("subscriptions", subscription.id)}>{customer}</a>,
    text: ({ customer }) => customer,
  },
  {
    name: "Plan",
    show: ({ plan, subscription, version }) => (plan === undefined ? subscription.subscription_plan_id : planLabel({ name: plan.name, billing_cycle: (version ?? plan).billing_cycle })),
    text: ({ plan, subscription }) => plan?.slug ?? subscription.subscription_plan_id,
  },
  { name: "Status", show: ({ subscription }) => <Status value={subscription.status} />, text: ({ subscription }) => subscription.status },
  {
    name: "Price",
    isNumber: true,
    show: ({ price, version }) => (price === undefined || version === undefined ? "—" : money(price, version.currency)),
    text: ({ price, version }) => (price === undefined ? "" : `${price} ${version?.currency}`),
  },
  { name: "Renews", sort: "renews_at", show: ({ subscription }) => <Day at={subscription.renews_at} />, text: ({ subscription }) => subscription.renews_at },
  { name: "Ends", sort: "ends_at", show: ({ subscription }) => <Day at={subscription.ends_at} />, text: ({ subscription }) => subscription.ends_at },
  { name: "Created", sort: "created_at", show: ({ subscription }) => <Day at={subscription.created_at} />, text: ({ subscription }) => subscription.created_at },
  {
    name: "External ID",
    show: ({ subscription }) => <code>{subscription.external_subscription_id ?? "—"}</code>,
    text: ({ subscription }) => subscription.external_subscription_id,
  },
];

export const subscriptionId = ({ subscription }: { subscription: Subscription }): string => subscription.id;

export const paymentColumns: readonly Column<Payment>[] = [
  {
    name: "Amount",
    isNumber: true,
    show: ({ id, amount, currency }) => <a href={to("payments", id)}>{money(amount, currency)}</a>,
    text: ({ amount }) => amount,
  },
  { name: "Currency", show: ({ currency }) => currency, text: ({ currency }) => currency },
  { name: "Status", show: ({ status }) => <Status value={status} />, text: ({ status }) => status },
  { name: "Paid", show: ({ date }) => <Day at={date} />, text: ({ date }) => date },
  { name: "Created", sort: "created_at", show: ({ created_at }) => <Day at={created_at} />, text: ({ created_at }) => created_at },
  {
    name: "Subscription",
    show: ({ subscription_id }) => (
      <a href={to("subscriptions", subscription_id)}>
        <code>{subscription_id}</code>
      </a>
    ),
    text: ({ subscription_id }) => subscription_id,
  },
  {
    name: "Invoice",
    show: ({ invoice_id }) =>
      invoice_id === null ? (
        "—"
      ) : (
        <a href={to("invoices", invoice_id)}>
          <code>{invoice_id}</code>
        </a>
      ),
    text: ({ invoice_id }) => invoice_id,
  },
  { name: "External ID", show: ({ external_payment_id }) => <code>{external_payment_id ?? "—"}</code>, text: ({ external_payment_id }) => external_payment_id },
];

export const recordId = ({ id }: { id: string }): string => id;

interface PanelProps<T> {
  name: string;
  /** Changes when the rows must be read again. */
  version: string;
  load: () => Promise<readonly T[]>;
  columns: readonly Column<T>[];
  id: (row: T) => string;
  empty: string;
}

/** A short table within a page. */
export function TablePanel<T>({ name, version, load, columns, id, empty }: PanelProps<T>) {
  const { data, error, reload } = useLoad(`${name} ${version}`, load);
  if (error !== undefined) {
    return <Problem error={error} retry={reload} />;
  }
  if (data === undefined) {
    return null;
  }
  return data.length === 0 ? <p class="faint">{empty}</p> : <Table name={name} columns={columns} rows={data} id={id} />;
}

interface PagedProps<T> extends Omit<PanelProps<T>, "load"> {
  load: (cursor: string | undefined) => Promise<PageOf<T>>;
}

/** A table within a page that grows page by page. */
export function PagedPanel<T>({ name, version, load, columns, id, empty }: PagedProps<T>) {
  const first = useLoad(`${name} ${version}`, () => load(undefined));
  const [further, setFurther] = useState<{ of: PageOf<T> | undefined; pages: PageOf<T>[]; error?: unknown }>({ of: undefined, pages: [] });
  if (first.error !== undefined) {
    return <Problem error={first.error} retry={first.reload} />;
  }
  if (first.data === undefined) {
    return null;
  }
  // Pages that follow an earlier first page are not shown with a newer one.
  const known = further.of === first.data ? further : { of: first.data, pages: [] };
  const pages = [first.data, ...known.pages];
  const rows = pages.flatMap(({ data }) => data);
  const next = pages.at(-1)?.page.next_cursor ?? null;
  const more = async (cursor: string): Promise<void> => {
    try {
      const page = await guarded(() => load(cursor));
      setFurther({ of: known.of, pages: [...known.pages, page] });
    } catch (error) {
      setFurther({ ...known, error });
    }
  };
  if (rows.length === 0) {
    return <p class="faint">{empty}</p>;
  }
  return (
    <>
      <Table name={name} columns={columns} rows={rows} id={id} />
      {known.error !== undefined && <Problem error={known.error} />}
      {next !== null && (
        <div class="pages">
          <button type="button" onClick={() => void more(next)}>
            Load more
          </button>
        </div>
      )}
    </>
  );
}
