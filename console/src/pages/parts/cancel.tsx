// Cancelling a subscription: at the end of what is paid, or now.

import { useState } from "preact/hooks";
import { api, type Subscription } from "../../lib/api.js";
import { now } from "../../lib/clock.js";
import { nextOfSubscription } from "../../lib/statuses.js";
import { moment } from "../../lib/time.js";
import { Confirm } from "../../parts/confirm.js";
import { Effects } from "./effects.js";

/** Until when access continues after a cancellation at the end of the paid period. */
function paidUntil({ renews_at }: Subscription): string | null {
  return renews_at !== null && Date.parse(renews_at) > now() ? renews_at : null;
}

/** A billed subscription ends now by its status; of an external one the end is sent. */
function bodyOf({ billing, starts_at }: Subscription, isNow: boolean): { status: string; ends_at?: string } {
  if (!isNow) {
    return { status: "cancelled" };
  }
  return billing !== null ? { status: "expired" } : { status: "cancelled", ends_at: new Date(Math.max(now(), Date.parse(starts_at))).toISOString() };
}

export function CancelDialog({ subscription, customer, close, saved }: { subscription: Subscription; customer: string; close: () => void; saved: () => void }) {
  const canContinue = nextOfSubscription(subscription).includes("cancelled");
  const [isNow, setNow] = useState(!canContinue);
  const until = paidUntil(subscription);
  const body = bodyOf(subscription, isNow);
  const text = isNow || until === null ? "Access ends now" : `Access continues until ${moment(until)}`;
  return (
    <Confirm
      title="Cancel subscription"
      keep="Keep subscription"
      button="Cancel subscription"
      done="Subscription cancelled"
      act={() => api.subscriptions.update(subscription.id, body, { ifMatch: subscription })}
      close={close}
      saved={saved}
    >
      <p dir="auto">{customer}</p>
      <fieldset class="field">
        <legend>When</legend>
        {canContinue && <Choice name="At the end of the paid period" checked={!isNow} choose={() => setNow(false)} />}
        <Choice name="Now" checked={isNow} choose={() => setNow(true)} />
      </fieldset>
      <p>{text}. It does not renew.</p>
      {subscription.billing !== null && (
        <section class="changes" aria-label="Changes">
          <h3>Changes</h3>
          <Effects subscription={subscription} body={body} />
        </section>
      )}
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
