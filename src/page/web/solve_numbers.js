// How far a solve is, and how fast: what is told with its events, and a clock that goes on between them.
import { el, replace } from "./dom.js";
import { formatReward } from "./tree_picture.js";

const TICK_MS = 500;

// "0:07", "12:34", "1:02:03".
export function clockText(seconds) {
  const whole = Math.max(Math.floor(seconds), 0), two = (number) => String(number).padStart(2, "0");
  const hours = Math.floor(whole / 3600), minutes = Math.floor(whole / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

// Passes per second: as many digits as mean something.
export function speedText(passes, seconds) {
  if (!(seconds > 0) || passes === 0) return "\u2013";
  const speed = passes / seconds;
  return `${speed >= 10 ? Math.round(speed) : speed.toPrecision(2)} passes/s`;
}

export class SolveNumbers {
  constructor(budget) {
    this.budget = budget;
    this.state = { nfe: 0, rollouts: 0, hits: 0, best: undefined, doing: "", over: false };
    this.told = null; // the last word of the server's clock: {seconds, nfe, at}
    this.progress = el("progress", { max: budget, value: 0, "aria-label": "Spent of the budget" });
    this.facts = el("dl", { class: "tiles" });
    this.element = el("div", {}, this.progress, this.facts);
  }

  // What changed, of the fields of `state`; `seconds` where an event said how long it has taken.
  update({ seconds, ...changed }) {
    Object.assign(this.state, changed);
    if (seconds !== undefined) this.told = { seconds, nfe: this.state.nfe, at: performance.now() };
    this.#show();
    if (this.told && !this.state.over) this.timer ??= setInterval(() => this.#tick(), TICK_MS);
  }

  #tick() {
    if (this.state.over || !this.element.isConnected) {
      clearInterval(this.timer);
      this.timer = null;
    }
    this.#show();
  }

  #elapsed() {
    const { told, state } = this;
    return told.seconds + (state.over ? 0 : (performance.now() - told.at) / 1000);
  }

  #show() {
    const { nfe, rollouts, hits, best, doing, over } = this.state, { told, budget } = this;
    const left = Math.max(budget - nfe, 0), pace = told && told.nfe > 0 ? told.seconds / told.nfe : null;
    const time = !over && pace !== null ? `, ${clockText(left * pace)} at most` : "";
    this.progress.value = Math.min(nfe, budget);
    const fact = (name, value) => el("div", {}, el("dt", {}, name), el("dd", {}, value));
    replace(this.facts,
      fact("forward passes", `${nfe} of ${budget}`), fact("remaining", `${left}${time}`),
      fact("speed", told ? speedText(told.nfe, told.seconds) : "\u2013"), fact("elapsed", told ? clockText(this.#elapsed()) : "\u2013"),
      fact("rollouts", `${rollouts} (${hits} cached)`), fact("best reward", formatReward(best)), fact("now", over ? "over" : doing));
  }
}
