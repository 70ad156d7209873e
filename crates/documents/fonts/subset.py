"""Make the fonts of this directory from the fonts of Debian's fonts-noto-core, fonts-noto-cjk and fonts-mplus.

Usage: subset.py FONTS, where FONTS is a directory with NotoSans-Regular.ttf, NotoSans-Bold.ttf, NotoSansCJK-Regular.ttc and
Mplus1-Regular.otf. Needs fonttools. The output is committed: template versions depend on its bytes.
"""

import subprocess
import sys

from fontTools.ttLib import TTFont

LATIN_GREEK_CYRILLIC = (
    "U+0020-007E,U+00A0-052F,U+1E00-1FFF,U+2000-209F,U+20A0-20CF,U+2100-214F,U+2190-2199,"
    "U+2212,U+2260,U+2264,U+2265,U+25A1,U+FFFD"
)
# Kanji of names that JIS X 0208 does not have.
NAMES = "㈱㈲髙﨑德濵神祥福﨟昻"
SYMBOLS = {0x2192, 0x25CB, 0x25CF, 0x25A0, 0x25A1, 0x2605, 0x203B, *range(0x2460, 0x2474)}


def jis(rows):
    """The characters in these rows of JIS X 0208."""
    for row in rows:
        for cell in range(1, 95):
            try:
                yield ord(bytes([row + 0xA0, cell + 0xA0]).decode("euc_jp"))
            except UnicodeDecodeError:
                continue


def japanese(mplus):
    """Kana, level 1, and the kanji of level 2 that M+ 1 has too: all of level 2 would take 300 KB more."""
    level_1 = {*jis(range(1, 6)), *jis(range(16, 48)), *map(ord, NAMES), *range(0x3000, 0x3100), *range(0xFF01, 0xFFA0)}
    level_2 = set(jis(range(48, 85))) & set(TTFont(mplus).getBestCmap())
    wanted = (level_1 | level_2 | SYMBOLS) - set(range(0x2E80)) | SYMBOLS
    return ",".join(f"U+{letter:04X}" for letter in sorted(wanted))


def subset(source, target, letters, *options):
    """Write a font without hints, layout tables and names of glyphs, which a PDF does not use."""
    subprocess.check_call([
        "pyftsubset", source, f"--unicodes={letters}", f"--output-file={target}", "--no-hinting", "--layout-features=",
        "--drop-tables+=GSUB,GPOS,GDEF,DSIG,vhea,vmtx,VORG,BASE,STAT,meta", "--notdef-outline", "--no-glyph-names",
        "--name-IDs=0,1,2,3,4,5,6,13,14", *options,
    ])


if __name__ == "__main__":
    fonts = sys.argv[1]
    subset(f"{fonts}/NotoSans-Regular.ttf", "sans-regular.ttf", LATIN_GREEK_CYRILLIC)
    subset(f"{fonts}/NotoSans-Bold.ttf", "sans-bold.ttf", LATIN_GREEK_CYRILLIC)
    subset(f"{fonts}/NotoSansCJK-Regular.ttc", "japanese.otf", japanese(f"{fonts}/Mplus1-Regular.otf"), "--font-number=0")
