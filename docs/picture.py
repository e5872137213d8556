#!/usr/bin/env python3
"""Draws the pictures of the report in README from what `stacklint demo` prints: docs/report-light.svg and -dark.svg.

    python3 docs/picture.py [--bin target/debug/stacklint]

`cargo test --test cli docs` fails if their text is not today's output.
"""
import argparse
import html
import os
import re
import subprocess

# Lines that are shown; the last line says how many are not.
SHOWN = 26
# Sizes in pixels: of a character (of a font that is 0.6 em wide), of a line, of the margin.
SIZE, WIDTH, HEIGHT, MARGIN = 14, 8.43, 20, 18
COLUMNS = 98
# Colors by the number of their ANSI sequence.
THEMES = {
    "light": {"back": "#ffffff", "edge": "#d0d7de", "text": "#1f2328", "dim": "#656d76", 31: "#cf222e", 32: "#116329",
              33: "#7d4e00", 36: "#0969da", 92: "#1a7f37", 94: "#0550ae"},
    "dark": {"back": "#0d1117", "edge": "#30363d", "text": "#e6edf3", "dim": "#8d96a0", 31: "#ff7b72", 32: "#7ee787",
             33: "#e3b341", 36: "#79c0ff", 92: "#56d364", 94: "#58a6ff"},
}


def spans(line, theme):
    """Returns a line with ANSI sequences as elements `tspan`."""
    bold, color, result = False, "", ""
    for part in re.split(r"(\x1b\[[0-9;]*m)", line):
        if part.startswith("\x1b"):
            for number in map(int, part[2:-1].split(";")):
                if number == 0:
                    bold, color = False, ""
                elif number == 1:
                    bold = True
                elif number == 2:
                    color = theme["dim"]
                else:
                    color = theme[number]
        elif part:
            style = (' font-weight="600"' if bold else "") + (f' fill="{color}"' if color else "")
            text = html.escape(part, quote=False)
            result += f"<tspan{style}>{text}</tspan>" if style else text
    return result


def picture(lines, theme):
    """Returns lines as SVG."""
    width, height = COLUMNS * WIDTH + 2 * MARGIN, len(lines) * HEIGHT + 2 * MARGIN
    rows = (
        f'<text x="{MARGIN}" y="{MARGIN + SIZE + i * HEIGHT}" xml:space="preserve">{spans(line, theme)}</text>'
        for i, line in enumerate(lines)
    )
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" height="{height}"'
        f' font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, \'DejaVu Sans Mono\', monospace"'
        f' font-size="{SIZE}" fill="{theme["text"]}">',
        f'<rect x="0.5" y="0.5" width="{width - 1:.0f}" height="{height - 1}" rx="6" fill="{theme["back"]}"'
        f' stroke="{theme["edge"]}"/>',
        *rows,
        "</svg>\n",
    ])


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--bin", default="target/debug/stacklint")
    binary = os.path.abspath(options.parse_args().bin)
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    run = subprocess.run([binary, "demo", "--color", "always"], capture_output=True, text=True, check=True, env=environment)
    lines = run.stdout.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("$ "))
    lines = lines[start:]
    shown = lines[:SHOWN] + [f"\x1b[2m… {len(lines) - SHOWN} more lines: stacklint demo\x1b[0m"]
    folder = os.path.dirname(os.path.abspath(__file__))
    for name, theme in THEMES.items():
        with open(os.path.join(folder, f"report-{name}.svg"), "w", encoding="utf-8") as out:
            out.write(picture(shown, theme))


if __name__ == "__main__":
    main()
