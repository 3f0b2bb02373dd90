// Curves with their intervals, as figures in papers have them: few lines, direct names, a marker for each series.
import { el, replace, svg } from "./dom.js";
import { actionClass } from "./actions.js";
import { besideEachOther, coincidences, sharedPieces } from "./curves.js";

const FIGURE_WIDTH = 760, HEIGHT = 380, TOP_EDGE = 18, BOTTOM_EDGE = 330, LEFT_EDGE = 54;
const NAMES_ROOM = 170, NARROW = 600, LONGEST_NAME = 20; // names stand beside their curves where there is room
const DASH = 9; // of one of several curves that coincide

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

// A sign of the series, as its curve has it.
function sample(number) {
  return svg("svg", { class: `sample ${actionClass(number)}`, viewBox: "0 0 30 14", width: 30, height: 14, "aria-hidden": "true" },
    svg("path", { class: "series", d: "M1 7h28" }), marker(number, 15, 7));
}

class Drawing {
  constructor({ series, xLabel, yLabel, caption, format }, width) {
    Object.assign(this, { series, xLabel, yLabel, caption, format });
    this.beside = width >= NARROW && series.every((one) => one.name.length <= LONGEST_NAME);
    this.right = width - (this.beside ? NAMES_ROOM : 12);
    const points = series.flatMap((one) => one.points);
    this.xs = [...new Set(points.map((point) => point.x))].sort((a, b) => a - b);
    const lows = points.map((point) => point.low ?? point.y), highs = points.map((point) => point.high ?? point.y);
    this.bottom = Math.max(0, Math.min(...lows));
    this.top = Math.max(...highs, this.bottom + 1e-6);
    this.shared = sharedPieces(series);
    const order = besideEachOther(this.shared), apart = Math.min(7, 36 / series.length);
    // Side by side, so that markers and whiskers of equal budgets can be told apart.
    this.aside = series.map((_, number) => (order.indexOf(number) - (series.length - 1) / 2) * apart);
    this.chart = svg("svg", { class: "chart", viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": caption });
    this.#axes();
    series.forEach((one, number) => this.chart.append(this.#curve(one, number)));
    if (this.beside) this.#names();
  }

  #x(x) {
    const [least, most] = [Math.log(this.xs[0]), Math.log(this.xs.at(-1))];
    const share = most > least ? (Math.log(x) - least) / (most - least) : 0.5, edge = Math.max(14, -Math.min(...this.aside) + 6);
    return LEFT_EDGE + edge + share * (this.right - LEFT_EDGE - 2 * edge);
  }

  #y(y) {
    return BOTTOM_EDGE - ((y - this.bottom) / (this.top - this.bottom)) * (BOTTOM_EDGE - TOP_EDGE);
  }

  #axes() {
    const { chart, right } = this;
    for (const y of ticks(this.bottom, this.top, 6)) {
      chart.append(svg("line", { class: "grid", x1: LEFT_EDGE, x2: right, y1: this.#y(y), y2: this.#y(y) }),
        svg("text", { x: LEFT_EDGE - 8, y: this.#y(y) + 4, "text-anchor": "end" }, this.format(y)));
    }
    let last = -Infinity;
    for (const x of this.xs) {
      const at = this.#x(x);
      chart.append(svg("line", { class: "axis", x1: at, x2: at, y1: BOTTOM_EDGE, y2: BOTTOM_EDGE + 4 }));
      if (at - last < 44) continue;
      last = at;
      chart.append(svg("text", { x: at, y: BOTTOM_EDGE + 18, "text-anchor": "middle" }, String(x)));
    }
    chart.append(svg("line", { class: "axis", x1: LEFT_EDGE, x2: right, y1: BOTTOM_EDGE, y2: BOTTOM_EDGE }),
      svg("text", { class: "title", x: (LEFT_EDGE + right) / 2, y: HEIGHT - 10, "text-anchor": "middle" }, this.xLabel),
      svg("text", { class: "title", x: -(TOP_EDGE + BOTTOM_EDGE) / 2, y: 14, "text-anchor": "middle", transform: "rotate(-90)" }, this.yLabel));
  }

  // Where curves coincide they take turns: a dash of each, on one line between their markers.
  #piece({ from, to, owners }, number) {
    const aside = owners.reduce((sum, owner) => sum + this.aside[owner], 0) / owners.length, turn = owners.indexOf(number);
    return svg("path", {
      class: `series${owners.length > 1 ? " shared" : ""}`,
      d: `M${this.#x(from.x) + aside} ${this.#y(from.y)}L${this.#x(to.x) + aside} ${this.#y(to.y)}`,
      "stroke-dasharray": owners.length > 1 ? `${DASH} ${DASH * (owners.length - 1)}` : null,
      "stroke-dashoffset": owners.length > 1 ? -DASH * turn : null,
    });
  }

  #curve(one, number) {
    const group = svg("g", { class: actionClass(number) });
    for (const piece of this.shared[number]) if (piece.to !== piece.from) group.append(this.#piece(piece, number));
    for (const point of one.points) {
      const x = this.#x(point.x) + this.aside[number], [low, high] = [point.low ?? null, point.high ?? null];
      if (low !== null) group.append(svg("line", { class: "whisker", x1: x, x2: x, y1: this.#y(low), y2: this.#y(high) }));
      const shape = marker(number, x, this.#y(point.y));
      const interval = low !== null ? ` (${this.format(low)} to ${this.format(high)})` : "";
      shape.append(svg("title", {}, `${one.name}, ${point.x}: ${this.format(point.y)}${interval}`));
      group.append(shape);
    }
    return group;
  }

  #names() {
    const names = this.series.map((one, number) => {
      const last = one.points.reduce((end, point) => (point.x > end.x ? point : end));
      return { number, name: one.name, y: this.#y(last.y) };
    });
    for (const { number, name, y } of apart(names)) {
      this.chart.append(svg("g", { class: actionClass(number) }, marker(number, this.right + 14, y),
        svg("text", { class: "name", x: this.right + 25, y: y + 4 }, name)));
    }
  }

  get legend() {
    return el("ul", { class: "legend" }, this.series.map((one, number) =>
      el("li", {}, sample(number), el("span", { class: `name ${actionClass(number)}` }, one.name))));
  }
}

// series: [{name, points: [{x, y, low, high}]}], each with points, x above 0 on a logarithmic axis. A figure with its
// caption, as wide as its place.
export function scalingChart({ series, xLabel, yLabel, caption, format = String }) {
  const place = el("div"), same = coincidences(series);
  let shown = 0;
  const draw = (width) => {
    if (width === shown || width <= 0) return;
    shown = width;
    const drawing = new Drawing({ series, xLabel, yLabel, caption, format }, width);
    replace(place, drawing.chart, !drawing.beside && drawing.legend);
  };
  draw(FIGURE_WIDTH);
  new ResizeObserver(([entry]) => draw(Math.min(Math.round(entry.contentRect.width), FIGURE_WIDTH))).observe(place);
  return el("figure", { class: "figure" }, place, el("figcaption", { class: "small soft" }, caption,
    same.length > 0 && el("span", { class: "coinciding" }, `. Where dashes take turns, curves coincide: ${same.join(" ")}`)));
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
