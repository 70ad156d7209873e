// The calls of invoices and credit notes.

import { caller, type PageOf } from "../../lib/api.js";
import type { CreditNote, Invoice } from "./invoice-types.js";

type Options = { idempotencyKey?: string };

const operation = (method: string, path: string) => ({ id: method + path, method, path, access: "client", keyed: method === "POST", repeatable: true }) as const;

const act = (name: string) => (id: string, options: Options = {}): Promise<Invoice> => caller.one<Invoice>(operation("POST", `/invoices/{id}/${name}`), { path: { id } }, options);

export const invoices = {
  list: (query: object): Promise<PageOf<Invoice>> => caller.page<Invoice>(operation("GET", "/invoices"), { query }, {}),
  get: (id: string): Promise<Invoice> => caller.one<Invoice>(operation("GET", "/invoices/{id}"), { path: { id } }, {}),
  delete: (id: string): Promise<Invoice> => caller.one<Invoice>(operation("DELETE", "/invoices/{id}"), { path: { id } }, {}),
  finalize: act("finalize"),
  void: act("void"),
  markUncollectible: act("mark-uncollectible"),
};

export const creditNotes = {
  list: (query: object): Promise<PageOf<CreditNote>> => caller.page<CreditNote>(operation("GET", "/credit-notes"), { query }, {}),
  get: (id: string): Promise<CreditNote> => caller.one<CreditNote>(operation("GET", "/credit-notes/{id}"), { path: { id } }, {}),
  create: (body: object, options: Options): Promise<CreditNote> => caller.one<CreditNote>(operation("POST", "/credit-notes"), { body }, options),
};
