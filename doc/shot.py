#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A terminal's screen as a picture: tmux capture-pane -e -p | doc/shot.py >doc/screen.svg"""
import html
import re
import sys
import unicodedata

CELL, LINE, PAD = 8.4, 18, 12
COLOURS = {30: "#1c1c1c", 31: "#ff6c6b", 32: "#98be65", 33: "#ecbe7b", 34: "#51afef", 35: "#c678dd",
           36: "#46d9ff", 37: "#dfdfdf", 39: "#dfdfdf"}
COLOURS.update({n + 60: colour for n, colour in list(COLOURS.items()) if n < 38})
GROUND = "#1c1f24"
PLAIN = (COLOURS[39], None, False, False)


def palette(n):
    """Colour n of 256: 16, a cube of 6 by 6 by 6, 24 greys."""
    if n < 16:
        return COLOURS[n + 30 if n < 8 else n + 82]
    if n >= 232:
        return "#" + 3 * f"{8 + 10 * (n - 232):02x}"
    cube = ((n - 16) // 36, (n - 16) // 6 % 6, (n - 16) % 6)
    return "#" + "".join(f"{55 + 40 * part if part else 0:02x}" for part in cube)


def width(text):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
               for c in text)


def apply(codes, style):
    """SGR codes on a style (colour, background or None, bold, reverse)."""
    colour, back, bold, reverse = style
    codes = iter(codes)
    for code in codes:
        if code == 0:
            colour, back, bold, reverse = PLAIN
        elif code in (38, 48):
            next(codes)  # 5: of the palette
            shade = palette(next(codes))
            colour, back = (shade, back) if code == 38 else (colour, shade)
        elif code in (1, 22):
            bold = code == 1
        elif code in (7, 27):
            reverse = code == 7
        elif code in COLOURS:
            colour = COLOURS[code]
        elif code == 49:
            back = None
        elif code - 10 in COLOURS:
            back = COLOURS[code - 10]
    return colour, back, bold, reverse


def main():
    lines = sys.stdin.read().rstrip("\n").split("\n")
    columns = max(width(re.sub(r"\x1b\[[0-9;]*m", "", line)) for line in lines)
    w, h = columns * CELL + 2 * PAD, len(lines) * LINE + 2 * PAD
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{w:.0f}" height="{h:.0f}" '
          f'viewBox="0 0 {w:.0f} {h:.0f}">\n<rect width="100%" height="100%" rx="6" fill="{GROUND}"/>\n'
          '<g font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14" '
          'xml:space="preserve">')
    style = PLAIN
    for row, line in enumerate(lines):
        at, y = 0, PAD + row * LINE
        for part in re.split(r"(\x1b\[[0-9;]*m)", line):
            if part.startswith("\x1b"):
                style = apply([int(n or 0) for n in part[2:-1].split(";")], style)
                continue
            if part.strip() or (part and (style[1] or style[3])):
                draw(part, PAD + at * CELL, y, style)
            at += width(part)
    print("</g>\n</svg>")


def draw(text, x, y, style):
    fill, back, bold, reverse = style
    length = width(text) * CELL
    if reverse:
        fill, back = back or GROUND, fill
    if back:
        print(f'<rect x="{x:.1f}" y="{y}" width="{length:.1f}" height="{LINE}" fill="{back}"/>')
    print(f'<text x="{x:.1f}" y="{y + 14}" fill="{fill}" textLength="{length:.1f}"'
          f'{" font-weight=" + chr(34) + "bold" + chr(34) if bold else ""}>{html.escape(text)}</text>')


main()
