"""The scaling plot as SVG: share of problems solved over windows, with 95 % intervals."""

from fractions import Fraction

from configurations import WINDOW

# Label, configuration, colour (safe for colour-blind readers), dashes.
LINES = (("UnMaskFork, 3 models", "umf-3", "#0072B2", ""), ("UnMaskFork, 2 models", "umf-dream-llada", "#56B4E9", ""),
         ("AB-MCTS-M, 3 models", "abm-3-1.0", "#7B5EA7", "6 3"),
         ("AB-MCTS-M, 2 models", "abm-1.0", "#CC79A7", "6 3"), ("pair of best-of-N, T = 1", "pair-dream-llada-1.0", "#009E73", "6 3"),
         ("best-of-N, dream, T = 1", "bon-dream-1.0", "#E69F00", "2 3"), ("best-of-N, llada, T = 1", "bon-llada-1.0", "#D55E00", "2 3"))
FEWER_LINES = (("UnMaskFork with relays", "umf-3-relays", "#0072B2", ""), ("odds", "odds-3", "#56B4E9", ""),
               ("UnMaskFork as in the paper", "umf-3-paper", "#333333", ""),
               ("AB-MCTS-M", "abm-3", "#7B5EA7", "6 3"), ("pair of best-of-N", "pair", "#009E73", "6 3"),
               ("best-of-N, dream", "bon-dream", "#E69F00", "2 3"))
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 790, 420, 52, 220, 16, 46


def scaling_plot(run, interval, lines=LINES):
    shown = [line for line in lines if line[1] in dict(run.configurations)]
    budgets = sorted({budget for _, name, _, _ in shown for budget in run.budgets(name)})
    lowest = 10 * int(min(min(interval(run.solved(name, b))[0] for b in run.budgets(name)) for _, name, _, _ in shown) // 10)

    def x(budget):
        return LEFT + (WIDTH - LEFT - RIGHT) * budgets.index(budget) / (len(budgets) - 1)

    def y(value):
        return TOP + (HEIGHT - TOP - BOTTOM) * (100 - value) / (100 - lowest)

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
             f"<title>Problems solved over the budget, {len(run.problems)} problems</title>",
             f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>']
    for value in range(lowest, 101, 10):
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(value):.1f}" y2="{y(value):.1f}" stroke="#ddd"/>'
                     f'<text x="{LEFT - 8}" y="{y(value) + 4:.1f}" text-anchor="end">{value} %</text>')
    for budget in budgets:
        parts.append(f'<text x="{x(budget):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{Fraction(budget, WINDOW)}</text>')
    parts.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 8}" text-anchor="middle">budget in windows of {WINDOW} passes</text>')
    labels = []
    for number, (label, name, colour, dashes) in enumerate(shown):
        points = []
        for budget in run.budgets(name):
            solved = run.solved(name, budget)
            low, high = interval(solved)
            at, value = x(budget) + 2 * (number - len(shown) / 2), 100 * sum(solved) / len(solved)
            points.append((at, y(value)))
            parts.append(f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{y(low):.1f}" y2="{y(high):.1f}" stroke="{colour}" stroke-opacity="0.35"/>'
                         f'<circle cx="{at:.1f}" cy="{y(value):.1f}" r="3" fill="{colour}"/>')
        path = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dashes}"/>')
        labels.append([points[-1][1], label, colour])
    last = -100.0
    for height, label, colour in sorted(labels):
        last = max(height, last + 15)  # labels keep apart
        parts.append(f'<text x="{WIDTH - RIGHT + 14}" y="{last + 4:.1f}" fill="{colour}">{label}</text>')
    return "\n".join(parts + ["</svg>"]) + "\n"
