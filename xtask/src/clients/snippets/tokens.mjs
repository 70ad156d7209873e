import { readFileSync } from "node:fs";
import { verifyEntitlements } from "./snippet.mjs";

const { keys } = JSON.parse(readFileSync("keys.json", "utf8"));
for (const line of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const [token, seen, now] = line.split("\t");
  try {
    verifyEntitlements(token, keys, Number(seen), Number(now));
    console.log("valid");
  } catch {
    console.log("invalid");
  }
}
