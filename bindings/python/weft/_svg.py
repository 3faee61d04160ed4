"""A program as SVG: layers from inputs to results, an edge for each operand. No other program is needed."""
import html
import re

NODE = re.compile(r'^\s*(\w+) \[(.*)\];?$')
EDGE = re.compile(r'^\s*(\w+) -> (\w+)(?: \[(.*)\])?;?$')
LABEL = re.compile(r'label="((?:[^"\\]|\\.)*)"')
COLOUR = re.compile(r'fillcolor="([^"]*)"')
MOST = 400  # nodes


def parse(dot):
    nodes, edges = {}, []
    for line in dot.splitlines():
        if e := EDGE.match(line):
            edges.append((e.group(1), e.group(2), "dashed" in (e.group(3) or "")))
        elif (n := NODE.match(line)) and n.group(1) not in ("node", "edge", "graph"):
            label = LABEL.search(n.group(2))
            colour = COLOUR.search(n.group(2))
            text = label.group(1).replace('\\"', '"').replace("\\\\", "\\") if label else n.group(1)
            nodes[n.group(1)] = (text, colour.group(1) if colour else "#ffffff")
    return nodes, [e for e in edges if e[0] in nodes and e[1] in nodes]


def layers(nodes, edges):
    level = dict.fromkeys(nodes, 0)
    order = {n: i for i, n in enumerate(nodes)}
    for a, b, dashed in sorted(edges, key=lambda e: order[e[1]]):
        if not dashed and order[a] < order[b]:
            level[b] = max(level[b], level[a] + 1)
    rows = {}
    for n in nodes:
        rows.setdefault(level[n], []).append(n)
    return [rows[k] for k in sorted(rows)]


def draw(dot, title=""):
    nodes, edges = parse(dot)
    if len(nodes) > MOST:
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="420" height="40"><text x="8" y="24" font-family="monospace" '
                f'font-size="12">{html.escape(title)}: {len(nodes)} nodes; .show("dot") draws them</text></svg>')
    at, y, width = {}, 12, 0
    for row in layers(nodes, edges):
        x = 12
        for n in row:
            w = 7 * len(nodes[n][0]) + 16
            at[n] = (x, y, w)
            x += w + 16
        width = max(width, x)
        y += 48
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{y}" font-family="monospace" font-size="11">',
           f"<title>{html.escape(title)}</title>"]
    for a, b, dashed in edges:
        (xa, ya, wa), (xb, yb, wb) = at[a], at[b]
        dash = ' stroke-dasharray="4"' if dashed else ""
        out.append(f'<path d="M{xa + wa / 2:.0f} {ya + 24} C{xa + wa / 2:.0f} {ya + 40} {xb + wb / 2:.0f} {yb - 16} '
                   f'{xb + wb / 2:.0f} {yb}" fill="none" stroke="#888"{dash}/>')
    for n, (x, top, w) in at.items():
        text, colour = nodes[n]
        out.append(f'<rect x="{x}" y="{top}" width="{w}" height="24" rx="4" fill="{html.escape(colour)}" stroke="#666"/>'
                   f'<text x="{x + 8}" y="{top + 16}">{html.escape(text)}</text>')
    return "\n".join(out + ["</svg>"])
