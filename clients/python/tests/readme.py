"""The program in the README: printed, for those who check it."""

from __future__ import annotations

import re
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"


def program() -> str:
    """Its Python blocks, each on the lines where it stands, so that a failure names the right one."""
    lines: list[str] = []
    inside = False
    for line in README.read_text().splitlines():
        fence = re.match(r"```(\w*)$", line)
        if fence:
            inside = not inside and fence.group(1) == "python"
        lines.append(line if inside and not fence else "")
    return "\n".join(lines)


if __name__ == "__main__":
    print(program())
