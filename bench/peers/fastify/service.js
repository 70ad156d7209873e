// What both services share: the shape of a body, of an answer, and how to listen.

export const body = {
  type: "object",
  required: ["user_id", "plan_id"],
  additionalProperties: false,
  properties: { user_id: { type: "string", format: "uuid" }, plan_id: { type: "string", format: "uuid" } },
};

export function answer(reply, record) {
  if (!record) return reply.code(404).send({ error: "not_found" });
  return { data: record };
}

// The bench reads the address from the first line.
export async function listen(app) {
  await app.listen({ host: "127.0.0.1", port: 0 });
  console.log(`127.0.0.1:${app.server.address().port}`);
}
