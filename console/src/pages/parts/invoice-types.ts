// Invoices and credit notes as the API returns them.

export type InvoiceStatus = "draft" | "open" | "paid" | "uncollectible" | "void";

export interface Line {
  kind: string;
  description: string;
  plan_version: number | null;
  quantity: number | null;
  unit_price: number | null;
  amount: number;
  discount: number | null;
  tax_behavior: string | null;
  period_start: string | null;
  period_end: string | null;
  source_invoice_id: string | null;
}

export interface Tax {
  tax_rate_id: string;
  name: string;
  percentage: number;
  tax_behavior: string;
  base: number;
  amount: number;
}

export interface Party {
  name?: string | null;
  email?: string | null;
  address?: string[];
  country?: string | null;
  tax_id?: string | null;
}

/** What invoices and credit notes have in common. */
export interface Issued {
  id: string;
  number: string | null;
  user_id: string;
  subscription_id: string;
  currency: string;
  lines: Line[];
  subtotal: number;
  discount: number;
  taxes: Tax[];
  tax: number;
  tax_included: number;
  total: number;
  issued_at: string | null;
  seller: Party | null;
  buyer: Party | null;
  created_at: string;
}

export interface Invoice extends Issued {
  kind: string;
  status: InvoiceStatus;
  collection: string | null;
  period_start: string | null;
  period_end: string | null;
  credit_applied: number;
  amount_paid: number;
  amount_credited: number;
  credited_total: number;
  amount_due: number;
  coupon_id: string | null;
  memo: string | null;
  attempts: number;
  overdue: boolean;
  next_action: string | null;
  next_action_at: string | null;
  finalizes_at: string | null;
  due_at: string | null;
  paid_at: string | null;
}

export interface CreditNote extends Issued {
  invoice_id: string | null;
  invoice_number: string | null;
  reason: string | null;
  settlement: string;
  refund_reference: string | null;
  applied_amount: number;
  balance_amount: number;
}

/** The invoice that a payment pays; null if there is none. */
export const invoiceOf = (payment: object): string | null => (payment as { invoice_id?: string | null }).invoice_id ?? null;

/** What the organization's documents need. */
export interface DocumentSettings {
  draft_hours: number;
  tax_rate_ids: string[];
  invoice_prefix: string;
  credit_note_prefix: string;
  yearly_numbers: boolean;
  seller: (Party & { note?: string | null }) | null;
}
