// One tax rate. Only whether it is active can change.

import { taxRates } from "./parts/resources.js";
import { SwitchablePage } from "./parts/switchable.js";

export default function TaxRatePage({ id }: { id: string }) {
  return (
    <SwitchablePage
      id={id}
      list={["tax-rates", "Tax rates"]}
      noun="tax rate"
      path="/tax-rates"
      resource={taxRates}
      name={({ name, percentage }) => `${name} ${percentage} %`}
      terms={({ name, percentage, country }) => [
        ["Name", <span dir="auto">{name}</span>],
        ["Percentage", `${percentage} %`],
        ["Country", country ?? "—"],
      ]}
      consequence="Plans, users and the organization cannot refer to it anew. Existing references continue."
    />
  );
}
