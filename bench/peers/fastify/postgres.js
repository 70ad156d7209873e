// Three calls with Fastify and pg, as their guides write them: schemas for the bodies, a pool, prepared statements.
// Checks what a create must check: that the user and the plan exist and the plan is active. Writes no event.
import Fastify from "fastify";
import pg from "pg";
import { answer, body, listen } from "./service.js";

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 16 });
const app = Fastify({ logger: false });

app.get("/subscription-plans/:slug", async (request, reply) => {
  const found = await pool.query({
    name: "plan",
    text: "SELECT * FROM plans WHERE slug = $1",
    values: [request.params.slug],
  });
  return answer(reply, found.rows[0]);
});

app.get("/subscriptions/:id", async (request, reply) => {
  const found = await pool.query({
    name: "subscription",
    text: "SELECT * FROM subscriptions WHERE id = $1",
    values: [request.params.id],
  });
  return answer(reply, found.rows[0]);
});

app.post("/subscriptions", { schema: { body } }, async (request, reply) => {
  const { user_id, plan_id } = request.body;
  const made = await pool.query({
    name: "create",
    text: `INSERT INTO subscriptions (user_id, plan_id)
           SELECT users.id, plans.id FROM users, plans
           WHERE users.id = $1 AND plans.id = $2 AND plans.is_active
           RETURNING *`,
    values: [user_id, plan_id],
  });
  if (made.rows.length === 0) return reply.code(422).send({ error: "not_found" });
  reply.code(201);
  return answer(reply, made.rows[0]);
});

await listen(app);
