import json
import sys

from snippet import verify_entitlements

with open("keys.json", encoding="utf-8") as file:
    keys = json.load(file)["keys"]
for line in sys.stdin.read().split("\n"):
    if line:
        token, seen, now = line.split("\t")
        try:
            verify_entitlements(token, keys, int(seen), int(now))
            print("valid")
        except Exception:
            print("invalid")
