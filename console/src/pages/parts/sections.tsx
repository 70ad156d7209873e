// Links between lists that belong together and have one place in the navigation.

import { to } from "../../lib/router.js";
import { mayOpen } from "../../parts/shell.js";

type Page = readonly [page: string, name: string];

const CATALOG: readonly Page[] = [
  ["plans", "Plans"],
  ["coupons", "Coupons"],
  ["tax-rates", "Tax rates"],
  ["meters", "Meters"],
];

const BILLS: readonly Page[] = [
  ["invoices", "Invoices"],
  ["credit-notes", "Credit notes"],
];

export const Bills = ({ current }: { current: string }) => <Sections name="Documents" pages={BILLS} current={current} />;
export const Catalog = ({ current }: { current: string }) => <Sections name="Catalog" pages={CATALOG} current={current} />;

function Sections({ name, pages, current }: { name: string; pages: readonly Page[]; current: string }) {
  return (
    <div class="sections" role="navigation" aria-label={name}>
      {pages
        .filter(([page]) => mayOpen(page))
        .map(([page, text]) => (
          <a key={page} href={to(page)} aria-current={page === current ? "page" : undefined}>
            {text}
          </a>
        ))}
    </div>
  );
}
