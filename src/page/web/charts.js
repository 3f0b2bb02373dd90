// Curves with their intervals, as figures in papers have them: few lines, direct names, a marker for each series.
import { el, replace, svg } from "./dom.js";
import { actionClass } from "./actions.js";

const WIDTH = 760, HEIGHT = 380, TOP_EDGE = 18, BOTTOM_EDGE = 330, LEFT_EDGE = 54, RIGHT_EDGE = 590;

const LINES = 8; // that can be told apart

const MARKERS = [
  (x, y) => svg("circle", { cx: x, cy: y, r: 4.5 }),
  (x, y) => svg("rect", { x: x - 4, y: y - 4, width: 8, height: 8 }),
  (x, y) => svg("path", { d: `M${x} ${y - 5.5}l5 9h-10z` }),
  (x, y) => svg("path", { d: `M${x} ${y - 5.5}l5.5 5.5-5.5 5.5-5.5-5.5z` }),
  (x, y) => svg("path", { d: `M${x} ${y + 5.5}l5-9h-10z` }),
];

function marker(series, x, y) {
  const shape = MARKERS[series % MARKERS.length](x, y);
  shape.setAttribute("class", "marker");
  return shape;
}

// Round steps between `low` and `high`, at most `most` of them.
export function ticks(low, high, most) {
  const rough = (high - low) / most || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => size >= rough);
  const first = Math.ceil(low / step - 1e-9);
  const list = [];
  for (let i = first; i * step <= high + step * 1e-9; ++i) list.push(Math.round(i * step * 1e6) / 1e6 || 0); // never -0
  return list;
}

// Names at the ends of their lines, moved apart where they would meet.
function apart(names) {
  names.sort((a, b) => a.y - b.y);
  for (let i = 1; i < names.length; ++i) names[i].y = Math.max(names[i].y, names[i - 1].y + 15);
  const over = names.length > 0 ? names.at(-1).y - BOTTOM_EDGE : 0;
  if (over > 0) for (const name of names) name.y -= over;
  return names;
}

// series: [{name, points: [{x, y, low, high}]}], x above 0 on a logarithmic axis. A figure with its caption.
export function scalingChart({ series, xLabel, yLabel, caption, format = String }) {
  const points = series.flatMap((one) => one.points);
  const xs = [...new Set(points.map((point) => point.x))].sort((a, b) => a - b);
  const lows = points.map((point) => point.low ?? point.y), highs = points.map((point) => point.high ?? point.y);
  const bottom = Math.max(0, Math.min(...lows)), top = Math.max(...highs, bottom + 1e-6);
  const [least, most] = [Math.log(xs[0]), Math.log(xs.at(-1))];
  const X = (x) => LEFT_EDGE + 14 + (most > least ? (Math.log(x) - least) / (most - least) : 0.5) * (RIGHT_EDGE - LEFT_EDGE - 28);
  const Y = (y) => BOTTOM_EDGE - ((y - bottom) / (top - bottom)) * (BOTTOM_EDGE - TOP_EDGE);
  const chart = svg("svg", { class: "chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": caption });
  for (const y of ticks(bottom, top, 6)) {
    chart.append(svg("line", { class: "grid", x1: LEFT_EDGE, x2: RIGHT_EDGE, y1: Y(y), y2: Y(y) }),
      svg("text", { x: LEFT_EDGE - 8, y: Y(y) + 4, "text-anchor": "end" }, format(y)));
  }
  let right = -Infinity;
  for (const x of xs) {
    chart.append(svg("line", { class: "axis", x1: X(x), x2: X(x), y1: BOTTOM_EDGE, y2: BOTTOM_EDGE + 4 }));
    if (X(x) - right < 44) continue;
    right = X(x);
    chart.append(svg("text", { x: X(x), y: BOTTOM_EDGE + 18, "text-anchor": "middle" }, String(x)));
  }
  chart.append(svg("line", { class: "axis", x1: LEFT_EDGE, x2: RIGHT_EDGE, y1: BOTTOM_EDGE, y2: BOTTOM_EDGE }),
    svg("text", { class: "title", x: (LEFT_EDGE + RIGHT_EDGE) / 2, y: HEIGHT - 10, "text-anchor": "middle" }, xLabel),
    svg("text", { class: "title", x: -(TOP_EDGE + BOTTOM_EDGE) / 2, y: 14, "text-anchor": "middle", transform: "rotate(-90)" }, yLabel));
  const names = [];
  series.forEach((one, number) => {
    const group = svg("g", { class: actionClass(number) });
    const sorted = [...one.points].sort((a, b) => a.x - b.x);
    if (sorted.length === 0) return;
    // Side by side, so that whiskers of equal budgets can be told apart.
    const aside = (number - (series.length - 1) / 2) * Math.min(5, 24 / series.length);
    const at = (point) => X(point.x) + aside;
    if (sorted.length > 1)
      group.append(svg("path", { class: "series", d: sorted.map((point, i) => `${i ? "L" : "M"}${at(point)} ${Y(point.y)}`).join("") }));
    for (const point of sorted) {
      if (point.low != null) group.append(svg("line", { class: "whisker", x1: at(point), x2: at(point), y1: Y(point.low), y2: Y(point.high) }));
      const shape = marker(number, at(point), Y(point.y));
      const interval = point.low != null ? ` (${format(point.low)} to ${format(point.high)})` : "";
      shape.append(svg("title", {}, `${one.name}, ${point.x}: ${format(point.y)}${interval}`));
      group.append(shape);
    }
    chart.append(group);
    names.push({ number, name: one.name, y: Y(sorted.at(-1).y) });
  });
  for (const { number, name, y } of apart(names)) {
    chart.append(svg("g", { class: actionClass(number) }, marker(number, RIGHT_EDGE + 14, y),
      svg("text", { class: "name", x: RIGHT_EDGE + 25, y: y + 4 }, name.length > 20 ? `${name.slice(0, 19)}\u2026` : name)));
  }
  return el("figure", { class: "figure" }, chart, el("figcaption", { class: "small soft" }, caption));
}

// The same where there may be more series than can be told apart: at first those that end highest, then what is chosen.
export function chosenChart(options) {
  const { series } = options, end = (one) => one.points.reduce((last, point) => (point.x > last.x ? point : last)).y;
  if (series.length <= LINES) return scalingChart(options);
  const chosen = new Set([...series].sort((a, b) => end(b) - end(a)).slice(0, LINES));
  const place = el("div"), count = el("span");
  const draw = () => {
    replace(count, `${chosen.size} of ${series.length} configurations are shown. `);
    replace(place, chosen.size === 0 ? el("p", { class: "soft" }, "Nothing is chosen.")
      : scalingChart({ ...options, series: series.filter((one) => chosen.has(one)) }));
  };
  const choice = (one) => {
    const change = (event) => {
      if (event.target.checked) chosen.add(one);
      else chosen.delete(one);
      draw();
    };
    return el("label", {}, el("input", { type: "checkbox", checked: chosen.has(one), change }), one.name);
  };
  draw();
  return el("div", {}, place, el("details", { class: "choices" }, el("summary", {}, count, "Choose"),
    el("div", { role: "group", "aria-label": "Configurations in the figure" }, series.map(choice))));
}
