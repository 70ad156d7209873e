// Three calls with Fastify and better-sqlite3: WAL, synchronous=FULL, statements prepared once.
// Checks what a create must check: that the user and the plan exist and the plan is active. Writes no event.
import { randomUUID } from "node:crypto";
import Database from "better-sqlite3";
import Fastify from "fastify";
import { answer, body, listen } from "./service.js";

const db = new Database(process.env.DATABASE_FILE);
db.pragma("journal_mode = WAL");
db.pragma("synchronous = FULL");

const plan = db.prepare("SELECT * FROM plans WHERE slug = ?");
const subscription = db.prepare("SELECT * FROM subscriptions WHERE id = ?");
const user = db.prepare("SELECT 1 FROM users WHERE id = ?");
const activePlan = db.prepare("SELECT billing_cycle FROM plans WHERE id = ? AND is_active = 1");
const insert = db.prepare(
  `INSERT INTO subscriptions (id, user_id, plan_id, external_id, billing_cycle, status, is_active, starts_at, renews_at,
                              ends_at, created_at, updated_at)
   VALUES (?, ?, ?, NULL, ?, 'active', 1, ?, ?, NULL, ?, ?)
   RETURNING *`,
);
const create = db.transaction((userId, planId) => {
  const found = activePlan.get(planId);
  if (!user.get(userId) || !found) return undefined;
  const now = new Date();
  const renews = new Date(now.getTime() + 30 * 86_400_000).toISOString();
  const at = now.toISOString();
  return insert.get(randomUUID(), userId, planId, found.billing_cycle, at, renews, at, at);
});

const app = Fastify({ logger: false });

app.get("/subscription-plans/:slug", async (request, reply) => answer(reply, plan.get(request.params.slug)));

app.get("/subscriptions/:id", async (request, reply) => answer(reply, subscription.get(request.params.id)));

app.post("/subscriptions", { schema: { body } }, async (request, reply) => {
  const made = create.immediate(request.body.user_id, request.body.plan_id);
  if (!made) return reply.code(422).send({ error: "not_found" });
  reply.code(201);
  return answer(reply, made);
});

await listen(app);
