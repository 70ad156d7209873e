import sys

from snippet import is_valid

for line in sys.stdin.buffer.read().decode().split("\n"):
    if line:
        name, timestamp, signatures, tolerance, secrets, body = line.split("\t")
        headers = {"webhook-id": name, "webhook-timestamp": timestamp, "webhook-signature": signatures}
        valid = is_valid(body.encode(), headers, secrets.split(","), float(tolerance))
        print("valid" if valid else "invalid")
