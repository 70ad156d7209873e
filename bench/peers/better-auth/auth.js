// A session check with better-auth on better-sqlite3, with its defaults: the session is read from the database each time.
// It answers on node:http through the project's own handler.
import { createServer } from "node:http";
import Database from "better-sqlite3";
import { betterAuth } from "better-auth";
import { getMigrations } from "better-auth/db/migration";
import { toNodeHandler } from "better-auth/node";

const db = new Database(process.env.DATABASE_FILE);
db.pragma("journal_mode = WAL");
db.pragma("synchronous = FULL");

const options = {
  baseURL: "http://127.0.0.1",
  secret: "a secret for a store that lives for one run of the bench",
  database: db,
  emailAndPassword: { enabled: true },
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
  logger: { disabled: true },
};
const { runMigrations } = await getMigrations(options);
await runMigrations();

const auth = betterAuth(options);
const server = createServer(toNodeHandler(auth));
server.listen(0, "127.0.0.1", () => console.log(`127.0.0.1:${server.address().port}`));
