"""How long an answer from memory takes: `PYTHONPATH=src python -m tests.bench_entitlements`. It prints and asserts nothing."""

from __future__ import annotations

import time
import timeit
from collections.abc import Callable

from .test_entitlements import ADA, cached

ROUNDS = 1_000_000
#: Before the test replaces them.
REAL = (time.time, time.monotonic)


def main() -> None:
    with cached() as (cache, _, _clock):
        cache._now, cache._monotonic = REAL
        cache._heard_at = cache._monotonic()
        cache.get(ADA)
        calls: dict[str, Callable[[], object]] = {
            "get": lambda: cache.get(ADA),
            "check of a boolean": lambda: cache.check(ADA, "sso"),
            "check of a limit": lambda: cache.check(ADA, "seats", 5),
        }
        for name, call in calls.items():
            call()
            print(f"{name:20} {min(timeit.repeat(call, number=ROUNDS, repeat=3)) / ROUNDS * 1e6:.3f} µs")


if __name__ == "__main__":
    main()
