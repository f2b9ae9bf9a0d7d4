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


def width(text):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
               for c in text)


def apply(codes, style):
    """SGR codes on a style (colour, bold, reverse)."""
    colour, bold, reverse = style
    for code in codes:
        if code == 0:
            colour, bold, reverse = 39, False, False
        elif code in (1, 22):
            bold = code == 1
        elif code in (7, 27):
            reverse = code == 7
        elif code in COLOURS:
            colour = code
    return colour, bold, reverse


def main():
    lines = sys.stdin.read().rstrip("\n").split("\n")
    columns = max(width(re.sub(r"\x1b\[[0-9;]*m", "", line)) for line in lines)
    w, h = columns * CELL + 2 * PAD, len(lines) * LINE + 2 * PAD
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{w:.0f}" height="{h:.0f}" '
          f'viewBox="0 0 {w:.0f} {h:.0f}">\n<rect width="100%" height="100%" rx="6" fill="#1c1f24"/>\n'
          '<g font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14" '
          'xml:space="preserve">')
    style = (39, False, False)
    for row, line in enumerate(lines):
        at, y = 0, PAD + row * LINE
        for part in re.split(r"(\x1b\[[0-9;]*m)", line):
            if part.startswith("\x1b"):
                style = apply([int(n or 0) for n in part[2:-1].split(";")], style)
                continue
            if part.strip() or (part and style[2]):
                draw(part, PAD + at * CELL, y, style)
            at += width(part)
    print("</g>\n</svg>")


def draw(text, x, y, style):
    colour, bold, reverse = style
    fill, length = COLOURS[colour], width(text) * CELL
    if reverse:
        print(f'<rect x="{x:.1f}" y="{y}" width="{length:.1f}" height="{LINE}" fill="{fill}"/>')
        fill = "#1c1f24"
    print(f'<text x="{x:.1f}" y="{y + 14}" fill="{fill}" textLength="{length:.1f}"'
          f'{" font-weight=" + chr(34) + "bold" + chr(34) if bold else ""}>{html.escape(text)}</text>')


main()
