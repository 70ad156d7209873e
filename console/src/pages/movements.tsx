// The movements of MRR: which customers a bar of the overview consists of.

import type { Movement } from "../lib/api.js";
import { money } from "../lib/money.js";
import { usersById, userName } from "../lib/names.js";
import { to } from "../lib/router.js";
import { words } from "../lib/words.js";
import type { Filter } from "../parts/filters.js";
import { choices } from "../parts/fields.js";
import { ListPage, type ListQuery } from "../parts/list.js";
import type { Column } from "../parts/table.js";
import { currencyOf, KINDS, movements } from "./parts/analytics.js";

interface Row extends Movement {
  customer: string;
  currency: string;
}

const FILTERS: readonly Filter[] = [
  { name: "kind", label: "Kind", kind: "select", options: choices(KINDS) },
  { name: "from", label: "From", kind: "date" },
  { name: "to", label: "To", kind: "date" },
  { name: "currency", label: "Currency", kind: "text" },
  { name: "user_id", label: "User", kind: "text" },
];

const COLUMNS: readonly Column<Row>[] = [
  { name: "Customer", show: ({ user_id, customer }) => <a href={to("users", user_id)}>{customer}</a>, text: ({ customer }) => customer },
  { name: "Kind", show: ({ kind }) => words(kind), text: ({ kind }) => kind },
  { name: "Date", show: ({ date }) => date, text: ({ date }) => date },
  { name: "Amount", isNumber: true, show: ({ amount, currency }) => money(amount, currency), text: ({ amount }) => amount },
  { name: "MRR after it", isNumber: true, show: ({ mrr, currency }) => money(mrr, currency), text: ({ mrr }) => mrr },
  { name: "Currency", show: ({ currency }) => currency, text: ({ currency }) => currency },
];

async function load(query: ListQuery) {
  const { data, meta, page } = await movements(query);
  const users = await usersById(data.map(({ user_id }) => user_id));
  return { data: data.map((row): Row => ({ ...row, customer: userName(users.get(row.user_id), row.user_id), currency: currencyOf(meta) })), page };
}

export default function Movements() {
  return (
    <ListPage
      name="Movements"
      subtitle="Newest day first"
      columns={COLUMNS}
      filters={FILTERS}
      id={({ date, user_id, kind }) => `${date} ${user_id} ${kind}`}
      load={load}
      empty={<p>Changes of a customer's MRR from one day to the next appear here.</p>}
    />
  );
}
