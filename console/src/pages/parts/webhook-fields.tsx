// What can be set of a webhook endpoint, and the dialog that shows its secret.

import type { WebhookEndpoint, WebhookEndpointWithSecret } from "../../lib/api.js";
import { Command } from "../../parts/basics.js";
import { Dialog } from "../../parts/dialog.js";
import { lines, type Field, type Values } from "../../parts/fields.js";

export function endpointFields(): Field[] {
  return [
    { name: "url", label: "URL", hint: "An https URL of a public host.", send: (value) => value },
    { name: "description", label: "Description", send: (value) => value },
    { name: "types", label: "Event types", kind: "area", hint: "One per line: payment.created, payment.* or * for all.", send: lines },
    {
      name: "payload",
      label: "Payload",
      kind: "select",
      options: [
        ["full", "Full: the record before and after"],
        ["thin", "Thin: IDs only"],
      ],
    },
  ];
}

export const SIGNATURE: Field = {
  name: "signature",
  label: "Signature",
  kind: "select",
  options: [
    ["hmac", "HMAC-SHA256 with a shared secret"],
    ["ed25519", "Ed25519 with a public key"],
  ],
  hint: "Cannot be changed later.",
};

export function endpointValues({ url, description, types, payload }: WebhookEndpoint): Values {
  return { url, description, types: types.join("\n"), payload };
}

/** All types, one by one, or their number. */
export function typesText(types: readonly string[]): string {
  if (types.includes("*")) {
    return "All";
  }
  return types.length > 2 ? `${types.length} types` : types.join(", ");
}

/** The secret as the API returns it: once. */
export function SecretDialog({ endpoint: { secret, public_keys }, close }: { endpoint: WebhookEndpointWithSecret; close: () => void }) {
  return (
    <Dialog title={secret === null ? "Public key" : "Signing secret"} close={close}>
      {secret === null ? (
        <>
          <p>Verify signatures with this key. The private key does not leave the server.</p>
          <Command text={public_keys[0] ?? ""} name="Copy public key" />
        </>
      ) : (
        <>
          <p>Store this secret on your server now. It is not shown again.</p>
          <Command text={secret} name="Copy secret" />
        </>
      )}
      <div class="actions">
        <button type="button" class="primary" data-focus onClick={close}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
