// The list of tax rates.

import type { TaxRate } from "../lib/api.js";
import { to } from "../lib/router.js";
import { Day } from "../parts/basics.js";
import { orNull, type Field } from "../parts/fields.js";
import type { Column } from "../parts/table.js";
import { NewRecordList, stateColumn } from "./parts/new-record.js";
import { taxRates } from "./parts/resources.js";
import { Catalog } from "./parts/sections.js";

const COLUMNS: readonly Column<TaxRate>[] = [
  { name: "Name", show: ({ id, name }) => <a href={to("tax-rates", id)}>{name}</a>, text: ({ name }) => name },
  { name: "Percentage", isNumber: true, show: ({ percentage }) => `${percentage} %`, text: ({ percentage }) => percentage },
  { name: "Country", show: ({ country }) => country ?? "—", text: ({ country }) => country },
  stateColumn,
  { name: "Created", show: ({ created_at }) => <Day at={created_at} />, text: ({ created_at }) => created_at },
];

const FIELDS: readonly Field[] = [
  { name: "name", label: "Name", hint: "Invoices print it, such as VAT." },
  { name: "percentage", label: "Percentage", kind: "number", hint: "0 to 100, with at most 4 decimals. It cannot be changed later." },
  { name: "country", label: "Country", hint: "Optional: two letters, such as DE.", send: orNull },
];

export default function TaxRates() {
  return (
    <>
      <Catalog current="tax-rates" />
      <NewRecordList
        name="Tax rates"
        page="tax-rates"
        noun="tax rate"
        columns={COLUMNS}
        load={(query) => taxRates.list(query)}
        fields={FIELDS}
        values={{ name: "", percentage: "", country: "" }}
        create={(body, options) => taxRates.create(body as never, options)}
        empty="Tax rates that invoices can have appear here. Plans, users and the organization refer to them."
      />
    </>
  );
}
