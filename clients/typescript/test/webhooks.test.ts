// Webhooks: what our service signs, verified by this package and by the library that Standard Webhooks publishes.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { InvalidWebhook, verifyWebhook } from "../src/index.js";

interface Vector {
  name: string;
  keys: string[];
  headers: { "webhook-id": string; "webhook-timestamp": string; "webhook-signature": string };
  body: string;
}

const vectors = JSON.parse(readFileSync("../webhook-vectors.json", "utf8")) as Vector[];
const vector = (name: string): Vector => vectors.find((known) => known.name === name) ?? assert.fail(name);
const timeOf = ({ headers }: Vector): Date => new Date(Number(headers["webhook-timestamp"]) * 1000);

for (const known of vectors) {
  test(`what the service signs is verified: ${known.name}`, async () => {
    for (const key of known.keys) {
      const event = await verifyWebhook(known.body, known.headers, key, { now: timeOf(known) });
      assert.deepEqual(event, JSON.parse(known.body));
    }
  });

  test(`the published library verifies it, too: ${known.name}`, (context) => {
    context.mock.method(Date, "now", () => timeOf(known).getTime());
    for (const key of known.keys.filter((key) => key.startsWith("whsec_"))) {
      assert.deepEqual(new Webhook(key).verify(known.body, known.headers), JSON.parse(known.body));
      assert.throws(() => new Webhook(key).verify(`${known.body} `, known.headers));
    }
  });
}

test("keys of both kinds, bytes and any case of headers are taken", async () => {
  const { keys, headers, body } = vector("ed25519");
  const now = timeOf(vector("ed25519"));
  const shouted = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]));
  const given = [vector("hmac").keys[0]!, ...keys];
  assert.ok(await verifyWebhook(new TextEncoder().encode(body), shouted, given, { now }));
  assert.ok(await verifyWebhook(body, new Headers(headers), given, { now }));
});

test("what was changed on the way is rejected", async () => {
  for (const name of ["hmac", "ed25519", "rotation"]) {
    const { keys, headers, body } = vector(name);
    const now = timeOf(vector(name));
    const later = String(Number(headers["webhook-timestamp"]) + 1);
    const signature = headers["webhook-signature"];
    const changed: [string, Record<string, string>][] = [
      [`${body} `, headers],
      [body, { ...headers, "webhook-id": "evt_other" }],
      [body, { ...headers, "webhook-timestamp": later }],
      [body, { ...headers, "webhook-signature": signature.replaceAll("v1,", "v2,").replaceAll("v1a,", "v1,") }],
      [body, { ...headers, "webhook-signature": "v1,%%% v1a, v1" }],
    ];
    for (const [text, lines] of changed) {
      await assert.rejects(verifyWebhook(text, lines, keys, { now }), InvalidWebhook);
    }
    await assert.rejects(verifyWebhook(body, headers, "whsec_b3RoZXI=", { now }), /No signature matches/);
    await assert.rejects(verifyWebhook(body, headers, [], { now }), /No signature matches/);
  }
});

test("a request that is too old, too new or not whole is rejected", async () => {
  const { keys, headers, body } = vector("hmac");
  const at = (seconds: number): { now: Date } => ({ now: new Date(timeOf(vector("hmac")).getTime() + seconds * 1000) });
  await verifyWebhook(body, headers, keys, at(300));
  await verifyWebhook(body, headers, keys, { ...at(3_000), tolerance: 3_000 });
  for (const seconds of [301, -301]) {
    await assert.rejects(verifyWebhook(body, headers, keys, at(seconds)), /within 300 seconds/);
  }
  await assert.rejects(verifyWebhook(body, headers, keys), /within 300 seconds/);
  await assert.rejects(verifyWebhook(body, { ...headers, "webhook-timestamp": "soon" }, keys, at(0)), InvalidWebhook);
  for (const name of Object.keys(headers)) {
    const without = Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));
    await assert.rejects(verifyWebhook(body, without, keys, at(0)), { message: `The header ${name} is missing.` });
  }
});

test("a key that is none is a mistake", async () => {
  const { headers, body } = vector("hmac");
  for (const key of ["", "secret", "whsec_", "whpk_%"]) {
    await assert.rejects(verifyWebhook(body, headers, key, { now: timeOf(vector("hmac")) }), TypeError);
  }
});
