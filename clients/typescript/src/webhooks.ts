// Webhooks, verified before anything in them is believed: Standard Webhooks 1.0, `v1` (HMAC-SHA256) and `v1a` (Ed25519).

import type { Event } from "./generated/types.js";
import { inexactNumber } from "./money.js";
import { PerennialError } from "./problem.js";

/** A request that was not signed with one of the keys, is too old, or is not whole. Respond with 400. */
export class InvalidWebhook extends PerennialError {}

export interface VerifyOptions {
  /** How many seconds the timestamp may differ from now, 300 unless given. */
  tolerance?: number | undefined;
  /** The current time; that of the machine unless given. */
  now?: Date | undefined;
}

export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * The event of a webhook. `body` is the request's body as it was received: parsed and written again, it may differ.
 * `keys` are the endpoint's secrets (`whsec_…`) or public keys (`whpk_…`); during a rotation, give the old and the new one.
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  keys: string | readonly string[],
  { tolerance = 300, now = new Date() }: VerifyOptions = {},
): Promise<Event> {
  const id = header(headers, "webhook-id");
  const timestamp = header(headers, "webhook-timestamp");
  const signatures = header(headers, "webhook-signature").split(" ");
  checkAge(timestamp, now, tolerance);
  const content = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(head.length + content.length);
  signed.set(head);
  signed.set(content, head.length);
  const known = await Promise.all((typeof keys === "string" ? [keys] : keys).map(parsed));
  for (const { version, verify } of known) {
    for (const signature of signatures) {
      const [of, encoded] = signature.split(",");
      const bytes = of === version ? decoded(encoded ?? "") : undefined;
      if (bytes !== undefined && (await verify(bytes, signed))) {
        return eventOf(content);
      }
    }
  }
  throw new InvalidWebhook("No signature matches: use the secret of this endpoint, and the body as it was received.");
}

function header(headers: WebhookHeaders, name: string): string {
  const value = isHeaders(headers) ? headers.get(name) : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  const text = typeof value === "string" ? value : value?.join(" ");
  if (text === undefined || text === "") {
    throw new InvalidWebhook(`The header ${name} is missing.`);
  }
  return text;
}

function isHeaders(headers: WebhookHeaders): headers is Headers {
  return typeof headers.get === "function";
}

function checkAge(timestamp: string, now: Date, tolerance: number): void {
  const age = now.getTime() / 1000 - Number(timestamp);
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(age) > tolerance) {
    throw new InvalidWebhook(`The timestamp ${timestamp} is not within ${tolerance} seconds of now.`);
  }
}

interface Key {
  version: "v1" | "v1a";
  /** In constant time. */
  verify: (signature: Bytes, signed: Bytes) => Promise<boolean>;
}

type Bytes = Uint8Array<ArrayBuffer>;

async function parsed(text: string): Promise<Key> {
  const [, kind, encoded = ""] = /^(whsec|whpk)_(.+)$/.exec(text.trim()) ?? [];
  const bytes = decoded(encoded);
  if (kind === undefined || bytes === undefined) {
    throw new TypeError("A key of webhooks is `whsec_` or `whpk_` and base64.");
  }
  const { subtle } = await webCrypto();
  if (kind === "whsec") {
    const key = await subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
    return { version: "v1", verify: (signature, signed) => subtle.verify({ name: "HMAC" }, key, signature, signed) };
  }
  const key = await subtle.importKey("raw", bytes, { name: "Ed25519" }, false, ["verify"]);
  return { version: "v1a", verify: (signature, signed) => subtle.verify({ name: "Ed25519" }, key, signature, signed) };
}

/** What is used of Web Crypto, which not every set of types has as a global. */
interface WebCrypto {
  subtle: {
    importKey(format: "raw", bytes: Bytes, algorithm: { name: string; hash?: string }, extractable: false, usages: ["verify"]): Promise<object>;
    verify(algorithm: { name: string }, key: object, signature: Bytes, signed: Bytes): Promise<boolean>;
  };
}

async function webCrypto(): Promise<WebCrypto> {
  // Node 18 has it in a module only.
  const module = "node:crypto";
  const { crypto } = globalThis as { crypto?: WebCrypto };
  return crypto ?? ((await import(module)) as { webcrypto: WebCrypto }).webcrypto;
}

function decoded(base64: string): Bytes | undefined {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function eventOf(content: Uint8Array): Event {
  const text = new TextDecoder().decode(content);
  let event: unknown;
  try {
    event = JSON.parse(text);
  } catch {
    event = undefined;
  }
  if (typeof event !== "object" || event === null || Array.isArray(event)) {
    throw new InvalidWebhook("The body is signed and is not a JSON object.");
  }
  const inexact = inexactNumber(text);
  if (inexact !== undefined) {
    throw new InvalidWebhook(`The body has a number that cannot be held exactly, ${inexact}.`);
  }
  return event as Event;
}
