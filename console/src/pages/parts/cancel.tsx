// Cancelling a subscription: at the end of what is paid, or now.

import { useState } from "preact/hooks";
import { api, type Subscription } from "../../lib/api.js";
import { moment } from "../../lib/time.js";
import { Confirm } from "../../parts/confirm.js";

/** Until when access continues after a cancellation at the end of the paid period. */
function paidUntil({ renews_at }: Subscription): string | null {
  return renews_at !== null && Date.parse(renews_at) > Date.now() ? renews_at : null;
}

export function CancelDialog({ subscription, customer, close, saved }: { subscription: Subscription; customer: string; close: () => void; saved: () => void }) {
  const [isNow, setNow] = useState(false);
  const until = paidUntil(subscription);
  const act = (): Promise<unknown> => {
    const start = Math.max(Date.now(), Date.parse(subscription.starts_at));
    const body = isNow ? { status: "cancelled", ends_at: new Date(start).toISOString() } : { status: "cancelled" };
    return api.subscriptions.update(subscription.id, body, { ifMatch: subscription });
  };
  const text = isNow || until === null ? "Access ends now" : `Access continues until ${moment(until)}`;
  return (
    <Confirm
      title="Cancel subscription"
      keep="Keep subscription"
      button="Cancel subscription"
      done="Subscription cancelled"
      act={act}
      close={close}
      saved={saved}
    >
      <p dir="auto">{customer}</p>
      <fieldset class="field">
        <legend>When</legend>
        <Choice name="At the end of the paid period" checked={!isNow} choose={() => setNow(false)} />
        <Choice name="Now" checked={isNow} choose={() => setNow(true)} />
      </fieldset>
      <p>{text}. It does not renew.</p>
    </Confirm>
  );
}

function Choice({ name, checked, choose }: { name: string; checked: boolean; choose: () => void }) {
  return (
    <label class="check">
      <input type="radio" name="when" checked={checked} onChange={choose} />
      <span>{name}</span>
    </label>
  );
}
