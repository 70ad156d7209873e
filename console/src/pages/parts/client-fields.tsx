// What can be set of a client, by its kind.

import type { Client } from "../../lib/api.js";
import { fromInput, toInput } from "../../lib/time.js";
import { lines, type Field, type Values } from "../../parts/fields.js";

export const PUBLIC_SCOPES = ["auth", "plans:read", "subscriptions:read:own", "payments:read:own", "invoices:read:own", "entitlements:read:own"];

const TRUSTED_SCOPES = [
  "auth",
  ...["plans", "subscriptions", "payments", "users", "invoices"].flatMap((kind) => [`${kind}:read`, `${kind}:write`]),
  "events:read",
  "webhooks:write",
  "entitlements:read",
  "usage:write",
  "organization:read",
  "organization:write",
  "analytics:read",
  "clients:write",
];

export function clientState({ is_active, expires_at }: Client): string {
  if (!is_active) {
    return "disabled";
  }
  return expires_at !== null && Date.parse(expires_at) <= Date.now() ? "expired" : "active";
}

export function clientFields(kind: Client["kind"]): Field[] {
  const scopes = kind === "public" ? PUBLIC_SCOPES : TRUSTED_SCOPES;
  const common: Field[] = [
    { name: "name", label: "Name" },
    { name: "scopes", label: "Scopes", kind: "checks", options: scopes.map((scope) => [scope, scope]) },
  ];
  if (kind === "public") {
    return [...common, { name: "origins", label: "Origins", kind: "area", hint: "One per line, such as https://app.example.com.", send: lines }];
  }
  return [
    ...common,
    { name: "cidrs", label: "Address ranges", kind: "area", hint: "One per line, such as 10.0.0.0/8. Empty means any address.", send: lines },
    { name: "expires_at", label: "Expires (UTC)", kind: "datetime-local", send: (value) => fromInput(String(value)) },
  ];
}

export function clientValues(client: Client): Values {
  const common = { name: client.name, scopes: client.scopes };
  return client.kind === "public"
    ? { ...common, origins: client.origins.join("\n") }
    : { ...common, cidrs: client.cidrs.join("\n"), expires_at: toInput(client.expires_at) };
}
