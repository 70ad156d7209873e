import { readFileSync } from "node:fs";
import { isValid } from "./snippet.mjs";

for (const line of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const [id, timestamp, signatures, tolerance, secrets, body] = line.split("\t");
  const headers = { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures };
  console.log(isValid(Buffer.from(body), headers, secrets.split(","), Number(tolerance)) ? "valid" : "invalid");
}
