// A search tree as it is drawn: levels from top to bottom, zoomed and moved sideways only, so that every row keeps its
// name. Stands tens of thousands of nodes.
import { cssValue } from "./dom.js";
import { actionColour, actionLetter } from "./actions.js";

const TOP = 26, BOTTOM = 30, LEFT = 58, RIGHT = 44;
const WIDEST = 76; // pixels between neighbouring leaves

export function formatReward(reward) {
  return reward === null || reward === undefined ? "none" : String(Math.round(reward * 1000) / 1000);
}

function labelOf(node) {
  if (node.end) return formatReward(node.reward);
  return node.expanded ? (node.action >= 0 ? actionLetter(node.action) : "") + (node.visits > 1 ? `\u00d7${node.visits}` : "") : "";
}

export class TreePicture {
  constructor(canvas, tree, names) {
    Object.assign(this, { canvas, tree, names });
    this.relayout();
    this.fit();
  }

  get room() {
    return Math.max(this.canvas.clientWidth - LEFT - RIGHT, 50);
  }

  // What is seen when all of it is.
  get least() {
    return Math.min(this.room / Math.max(this.leaves - 1, 1), WIDEST);
  }

  relayout() {
    Object.assign(this, this.tree.layout());
    this.onBest = new Set(this.tree.bestPath());
  }

  fit() {
    this.step = this.least;
    this.#center();
  }

  #center() {
    const width = (this.leaves - 1) * this.step;
    this.shift = LEFT + Math.max((this.room - width) / 2, 0);
  }

  zoom(factor, around = LEFT + this.room / 2) {
    const step = Math.min(Math.max(this.step * factor, this.least), WIDEST);
    this.shift = around - (around - this.shift) * (step / this.step);
    this.step = step;
    this.keepInside();
  }

  move(shift) {
    this.shift = shift;
    this.keepInside();
  }

  keepInside() {
    const width = (this.leaves - 1) * this.step;
    if (width <= this.room) return this.#center();
    this.shift = Math.min(LEFT, Math.max(this.shift, LEFT + this.room - width));
  }

  // Brings a node into sight.
  reveal(node) {
    if (this.x(node) < LEFT + 20 || this.x(node) > LEFT + this.room - 20) this.move(this.shift + LEFT + this.room / 2 - this.x(node));
  }

  x(node) {
    return this.shift + node.x * this.step;
  }

  y(node) {
    return TOP + node.y * (this.canvas.clientHeight - TOP - BOTTOM);
  }

  #ends(node) {
    return [this.x(node.parent), this.y(node.parent), this.x(node), this.y(node)];
  }

  // The point of a placeAt().
  pointAt({ node, share }) {
    if (!node.parent) return { x: this.x(node), y: this.y(node) };
    const [x0, y0, x, y] = this.#ends(node), rest = 1 - share, middle = (y0 + y) / 2;
    const weights = [rest ** 3, 3 * rest ** 2 * share, 3 * rest * share ** 2, share ** 3];
    const sum = (...values) => values.reduce((all, value, i) => all + value * weights[i], 0);
    return { x: sum(x0, x0, x, x), y: sum(y0, middle, middle, y) };
  }

  nodeAt(x, y) {
    let nearest = null, least = 14;
    for (const node of this.tree.nodes) {
      const distance = Math.hypot(this.x(node) - x, this.y(node) - y);
      if (distance < least) [nearest, least] = [node, distance];
    }
    return nearest;
  }

  paint(selected, place) {
    const pen = this.canvas.getContext("2d"), ratio = devicePixelRatio || 1;
    const width = this.canvas.clientWidth, height = this.canvas.clientHeight;
    if (width === 0) return;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    const ink = cssValue("--ink"), faint = cssValue("--rule"), paper = cssValue("--paper"), soft = cssValue("--soft");
    this.colours = this.names.map((_, action) => cssValue(actionColour(action)));
    pen.font = `11px ${cssValue("--sans")}`;
    this.#paintRows(pen, width, faint, soft);
    pen.save();
    pen.beginPath();
    pen.rect(LEFT - 14, 0, width - LEFT + 14, height);
    pen.clip();
    const seen = this.tree.nodes.filter((node) => {
      const x = this.x(node), from = node.parent ? this.x(node.parent) : x;
      return Math.max(x, from) > LEFT - 20 && Math.min(x, from) < width + 20;
    });
    this.#paintEdges(pen, seen);
    this.#paintNodes(pen, seen, ink, paper);
    if (this.step >= 30) this.#paintLabels(pen, seen, selected, soft);
    const marked = place?.node === selected && place.share === 1; // the ring says it
    if (place && !marked) this.#paintPlace(pen, place, ink, paper);
    if (selected) this.#paintSelected(pen, selected, ink);
    pen.restore();
  }

  #paintRows(pen, width, faint, soft) {
    pen.strokeStyle = faint;
    pen.fillStyle = soft;
    pen.lineWidth = 1;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (const row of this.rows) {
      const y = Math.round(this.y(row)) + 0.5;
      pen.beginPath();
      pen.moveTo(LEFT - 10, y);
      pen.lineTo(width, y);
      pen.stroke();
      pen.fillText(`${Math.round(row.share * 100)} %`, LEFT - 16, y);
    }
    pen.textAlign = "left";
    pen.fillText("masked", 4, 9);
  }

  // Edges of one look in one path: a stroke each would take long for ten thousand.
  #paintEdges(pen, seen) {
    const looks = new Map();
    for (const node of seen) {
      if (!node.parent) continue;
      const kind = !node.expanded ? "tail" : node.hit ? "hit" : "miss";
      const key = `${node.action} ${kind}`;
      if (!looks.has(key)) looks.set(key, { action: node.action, kind, nodes: [] });
      looks.get(key).nodes.push(node);
    }
    const trace = (node) => {
      const [x0, y0, x, y] = this.#ends(node);
      pen.moveTo(x0, y0);
      pen.bezierCurveTo(x0, (y0 + y) / 2, x, (y0 + y) / 2, x, y);
    };
    pen.lineCap = "butt";
    pen.strokeStyle = cssValue("--best");
    pen.lineWidth = 9;
    pen.beginPath();
    for (const node of seen) if (node.parent && this.onBest.has(node)) trace(node);
    pen.stroke();
    const width = Math.min(Math.max(this.step * 0.6, 0.35), 2.4);
    for (const { action, kind, nodes } of looks.values()) {
      pen.strokeStyle = this.colours[action] ?? cssValue("--ink");
      pen.globalAlpha = kind === "tail" ? 0.55 : 1;
      pen.lineWidth = kind === "tail" ? Math.min(width, 1) : width;
      pen.setLineDash(kind === "hit" ? [5, 4] : []);
      pen.beginPath();
      nodes.forEach(trace);
      pen.stroke();
    }
    pen.setLineDash([]);
    pen.globalAlpha = 1;
  }

  radius(node) {
    const most = Math.min(Math.max(this.step * 0.42, 1.6), 9);
    if (node.end) return Math.min(most, 6.5);
    if (!node.expanded) return Math.min(most, 2.2);
    return Math.min(most, 4.5 + 1.4 * Math.log2(1 + node.visits / 2));
  }

  // How full a disc is says how good the rewards are: an end's own, a node's mean.
  #paintNodes(pen, seen, ink, paper) {
    for (const node of seen) {
      const x = this.x(node), y = this.y(node), radius = this.radius(node);
      const colour = this.colours[node.action] ?? ink;
      pen.fillStyle = node.expanded || node.end ? paper : colour;
      pen.strokeStyle = colour;
      pen.lineWidth = radius > 3 ? 1.5 : 1;
      if (node.end && !node.complete) pen.setLineDash([2, 2]);
      pen.beginPath();
      if (node.end) pen.rect(x - radius * 0.88, y - radius * 0.88, radius * 1.76, radius * 1.76);
      else pen.arc(x, y, radius, 0, 2 * Math.PI);
      pen.fill();
      pen.stroke();
      pen.setLineDash([]);
      const reward = node.end ? node.reward ?? 0 : node.visits > 0 ? node.total / node.visits : 0;
      if (reward > 0 && (node.expanded || node.end)) this.#paintReward(pen, node, x, y, radius, reward, colour);
    }
    const best = this.tree.best;
    if (best) this.#paintStar(pen, this.x(best), this.y(best) + 17, 7, ink);
  }

  #paintReward(pen, node, x, y, radius, reward, colour) {
    const share = Math.min(Math.max(reward, 0), 1);
    pen.fillStyle = colour;
    pen.beginPath();
    if (node.end) {
      const side = radius * 1.76;
      pen.rect(x - side / 2, y + side / 2 - side * share, side, side * share);
    } else {
      pen.moveTo(x, y);
      pen.arc(x, y, radius, -Math.PI / 2, -Math.PI / 2 + 2 * Math.PI * share);
    }
    pen.fill();
  }

  #paintStar(pen, x, y, radius, ink) {
    pen.fillStyle = ink;
    pen.beginPath();
    for (let i = 0; i < 10; ++i) {
      const angle = -Math.PI / 2 + (i * Math.PI) / 5, length = i % 2 === 0 ? radius : radius * 0.42;
      pen.lineTo(x + length * Math.cos(angle), y + length * Math.sin(angle));
    }
    pen.fill();
  }

  #paintLabels(pen, seen, selected, soft) {
    pen.fillStyle = soft;
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    for (const node of seen) {
      const text = labelOf(node), x = this.x(node) + this.radius(node) + (node === selected ? 9 : 4), y = this.y(node);
      if (text && this.#isFree(seen, node, x, x + pen.measureText(text).width, y)) pen.fillText(text, x, y);
    }
  }

  // Whether no other node stands where a label would.
  #isFree(seen, node, from, to, y) {
    return !seen.some((other) => other !== node && Math.abs(this.y(other) - y) < 10 &&
      this.x(other) + this.radius(other) > from && this.x(other) - this.radius(other) < to);
  }

  #paintSelected(pen, node, ink) {
    pen.strokeStyle = ink;
    pen.lineWidth = document.activeElement === this.canvas ? 3 : 2;
    pen.beginPath();
    pen.arc(this.x(node), this.y(node), this.radius(node) + 5, 0, 2 * Math.PI);
    pen.stroke();
  }

  // Where the slider stands: a diamond on the line that the pass belongs to.
  #paintPlace(pen, place, ink, paper) {
    const { x, y } = this.pointAt(place), size = 8;
    pen.beginPath();
    pen.moveTo(x, y - size);
    for (const [dx, dy] of [[size, 0], [0, size], [-size, 0]]) pen.lineTo(x + dx, y + dy);
    pen.closePath();
    pen.fillStyle = ink;
    pen.strokeStyle = paper;
    pen.lineWidth = 2;
    pen.fill();
    pen.stroke();
  }
}
