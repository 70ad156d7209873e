// Connections to payment providers, and what was received from them.

import { caller, type PageOf } from "../../lib/api.js";

export interface Connection {
  id: string;
  kind: string;
  name: string;
  mode: string;
  account: string | null;
  base_url: string;
  drift: string;
  collect: boolean;
  requests_per_minute: number;
  is_enabled: boolean;
  state: string;
  webhook_path: string;
  last_received_at: string | null;
  last_swept_at: string | null;
  created_at: string;
}

export interface InboxItem {
  key: string;
  type: string | null;
  object: string | null;
  object_id: string | null;
  state: string;
  code: string | null;
  attempts: number;
  next_attempt_at: string | null;
  occurred_at: string | null;
  received_at: string;
}

const operation = (path: string) => ({ id: path, method: "GET", path, access: "client", keyed: false, repeatable: true }) as const;

export const connections = {
  list: (query: object): Promise<PageOf<Connection>> => caller.page<Connection>(operation("/connections"), { query }, {}),
  get: (id: string): Promise<Connection> => caller.one<Connection>(operation("/connections/{id}"), { path: { id } }, {}),
  inbox: (id: string, query: object): Promise<PageOf<InboxItem>> => caller.page<InboxItem>(operation("/connections/{id}/inbox"), { path: { id }, query }, {}),
};

const KINDS: Readonly<Record<string, string>> = { stripe: "Stripe", lemon_squeezy: "Lemon Squeezy", paddle: "Paddle" };

export const providerName = (kind: string): string => KINDS[kind] ?? kind;
