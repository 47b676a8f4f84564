"""A bar chart as SVG text, with nothing but the standard library. Readable on light and dark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

WIDTH, LEFT, BAR, GAP = 760, 270, 12, 10
COLOURS = ("#4c78a8", "#f58518")


def bars(groups: Mapping[str, Sequence[tuple[str, float, float]]]) -> str:
    """Two bars (loose, anchored; percent) for each entry of each group, with their numbers."""
    parts: list[str] = []
    y = 30
    scale = (WIDTH - LEFT - 60) / 100
    for title, entries in groups.items():
        parts.append(f'<text x="10" y="{y}" font-weight="bold">{escape(title)}</text>')
        y += 14
        for name, *values in entries:
            parts.append(
                f'<text x="{LEFT - 8}" y="{y + BAR + 3}" text-anchor="end">{escape(name)}</text>'
            )
            for value, colour in zip(values, COLOURS, strict=True):
                parts.append(
                    f'<rect x="{LEFT}" y="{y}" width="{value * scale:.1f}" height="{BAR}"'
                    f' fill="{colour}"/>'
                    f'<text x="{LEFT + value * scale + 4:.1f}" y="{y + 10}" font-size="10">'
                    f"{value:.0f}</text>"
                )
                y += BAR
            y += GAP
        y += 24
    legend = "".join(
        f'<rect x="{10 + 230 * i}" y="{y}" width="12" height="12" fill="{colour}"/>'
        f'<text x="{28 + 230 * i}" y="{y + 10}">{label}</text>'
        for i, (colour, label) in enumerate(
            zip(COLOURS, ("answer's words held, %", "held near what is asked, %"), strict=True)
        )
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{y + 30}"'
        f' viewBox="0 0 {WIDTH} {y + 30}" font-family="sans-serif" font-size="12"'
        f' fill="#777">{"".join(parts)}{legend}</svg>\n'
    )
