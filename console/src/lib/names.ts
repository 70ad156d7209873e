// Names and prices of records that other records refer to, read once and in few calls.

import { api, listNamed, type ManagedUser, type Plan, type PlanVersion, type Subscription } from "./api.js";
import { times } from "./money.js";
import { can, currentSession } from "./session.js";

const MAX_AGE_MS = 30_000;

/** Reads at most every 30 seconds. */
function cached<T>(read: () => Promise<T>): { get(): Promise<T>; clear(): void } {
  let known: { at: number; value: Promise<T> } | undefined;
  return {
    get() {
      if (known === undefined || Date.now() - known.at > MAX_AGE_MS) {
        const value = read();
        value.catch(() => (known = undefined));
        known = { at: Date.now(), value };
      }
      return known.value;
    },
    clear: () => (known = undefined),
  };
}

async function collect<T>(rows: AsyncGenerator<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const row of rows) {
    found.push(row);
  }
  return found;
}

export const allPlans = cached<Plan[]>(() => collect(api.plans.each({ limit: 200 })));

/** What a version of a plan, or the plan itself, costs. */
export type PlanPrice = Pick<PlanVersion, "version" | "price" | "currency" | "billing_cycle">;

const versions = new Map<string, Promise<PlanVersion[]>>();

/** What a subscription pays per cycle: the price of its plan's version. */
export async function versionOf(plan: Plan, version: number): Promise<PlanPrice> {
  if (plan.version === version) {
    return plan;
  }
  const key = `${plan.id} ${plan.version}`;
  const known = versions.get(key) ?? api.planVersions.list(plan.slug, { limit: 200 }).then(({ data }) => data);
  versions.set(key, known);
  known.catch(() => versions.delete(key));
  return (await known).find((candidate) => candidate.version === version) ?? plan;
}

/** The addresses of users, by ID. */
export async function usersById(ids: readonly string[]): Promise<Map<string, ManagedUser>> {
  const wanted = [...new Set(ids)];
  const found = new Map<string, ManagedUser>();
  for (let at = 0; at < wanted.length && can("users:read"); at += 200) {
    const { data } = await api.users.list({ id: wanted.slice(at, at + 200).join(","), limit: 200 });
    data.forEach((user) => found.set(user.id, user));
  }
  return found;
}

/** A user's address, or the ID if there is none. */
export function userName(user: ManagedUser | undefined, id: string): string {
  return user?.email ?? id;
}

/** A subscription with what it refers to. */
export interface SubscriptionRow {
  subscription: Subscription;
  customer: string;
  plan: Plan | undefined;
  version: PlanPrice | undefined;
  /** Per cycle, for all units. */
  price: number | undefined;
}

export async function withNames(subscriptions: readonly Subscription[]): Promise<SubscriptionRow[]> {
  const [users, plans] = await Promise.all([usersById(subscriptions.map(({ user_id }) => user_id)), allPlans.get()]);
  return await Promise.all(
    subscriptions.map(async (subscription) => {
      const plan = plans.find(({ id }) => id === subscription.subscription_plan_id);
      const version = plan === undefined ? undefined : await versionOf(plan, subscription.plan_version);
      const price = version === undefined ? undefined : times(version.price, subscription.quantity, version.currency);
      const customer = userName(users.get(subscription.user_id), subscription.user_id);
      return { subscription, customer, plan, version, price };
    }),
  );
}

const callers = cached<Map<string, string>>(async () => {
  const names = new Map<string, string>();
  const own = currentSession()?.operator;
  if (own !== undefined) {
    names.set(own.id, own.name);
  }
  if (can("clients:write")) {
    const [clients, operators] = await Promise.all([listNamed("/clients"), listNamed("/operators")]);
    [...clients, ...operators].forEach(({ id, name }) => names.set(id, name));
  }
  return names;
});

/** The names of clients and operators, as far as the role may read them. */
export const callerNames = (): Promise<Map<string, string>> => callers.get();
