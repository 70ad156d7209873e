"""Three calls with FastAPI and asyncpg, as their guides write them: models for the bodies, a pool, prepared statements.

Checks what a create must check: that the user and the plan exist and the plan is active. Writes no event.
"""

import os
from contextlib import asynccontextmanager
from uuid import UUID

import asyncpg
from fastapi import FastAPI, HTTPException
from pydantic import BaseModel


class SubscriptionCreate(BaseModel):
    user_id: UUID
    plan_id: UUID


@asynccontextmanager
async def lifespan(app: FastAPI):
    app.state.pool = await asyncpg.create_pool(os.environ["DATABASE_URL"], min_size=16, max_size=16)
    yield
    await app.state.pool.close()


app = FastAPI(lifespan=lifespan)


def answer(record):
    if record is None:
        raise HTTPException(status_code=404, detail="not_found")
    return {"data": dict(record)}


@app.get("/ready")
async def ready():
    return {"data": await app.state.pool.fetchval("SELECT 1")}


@app.get("/subscription-plans/{slug}")
async def plan(slug: str):
    return answer(await app.state.pool.fetchrow("SELECT * FROM plans WHERE slug = $1", slug))


@app.get("/subscriptions/{subscription_id}")
async def subscription(subscription_id: UUID):
    return answer(await app.state.pool.fetchrow("SELECT * FROM subscriptions WHERE id = $1", subscription_id))


@app.post("/subscriptions", status_code=201)
async def create(body: SubscriptionCreate):
    made = await app.state.pool.fetchrow(
        """INSERT INTO subscriptions (user_id, plan_id)
           SELECT users.id, plans.id FROM users, plans
           WHERE users.id = $1 AND plans.id = $2 AND plans.is_active
           RETURNING *""",
        body.user_id,
        body.plan_id,
    )
    if made is None:
        raise HTTPException(status_code=422, detail="not_found")
    return {"data": dict(made)}
