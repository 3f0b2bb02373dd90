// What one model alone would have said: a plain decoding beside the answer of the search. Nobody pays for it unasked; its
// passes are its own.
import { el, replace } from "./dom.js";
import { codeSpans } from "./code_view.js";
import { copyButton } from "./copy.js";
import { pictured } from "./live_state.js";
import { SearchTree } from "./tree.js";
import { formatReward } from "./tree_picture.js";
import { OUTCOMES } from "./tests_view.js";
import { cellTexts, maskedWindow, windowAt } from "./trajectory.js";

const ANY_REWARD = -1e300; // the first answer ends it, whatever it is worth

// The first rollout of UnMaskFork with one action is that action's plain decoding. Some models take back what they
// wrote, so that it may take more passes than there are cells.
export function aloneRequest(begin, model, mostBudget) {
  return {
    problem: begin.problem, max_tokens: begin.window, seed: begin.seed,
    umf: { search: "unmaskfork", models: [model], budget: Math.min(2 * begin.window, mostBudget), stop_at_reward: ANY_REWARD },
  };
}

function signs({ outcomes, why }) {
  if (!outcomes) return why || "";
  const list = [...outcomes], passed = list.filter((one) => one === "p").length;
  return [`${passed} of ${list.length} tests pass `, list.map((one) => {
    const [sign, word, look] = OUTCOMES[one] ?? OUTCOMES.s;
    return el("span", { class: look, title: word, "aria-hidden": "true" }, sign);
  })];
}

// An answer with what it is worth and what it cost.
class AnswerCard {
  constructor(title, names) {
    this.names = names;
    this.cells = [];
    this.code = el("code", {});
    this.note = el("p", { class: "small", role: "status" });
    this.element = el("section", { class: "answer-card", "aria-label": title },
      el("div", { class: "heading" }, el("h4", {}, title), copyButton(() => cellTexts(this.cells).join(""))), this.note,
      el("pre", { class: "code", tabindex: 0, "aria-label": `Text: ${title}` }, this.code));
  }

  show(cells, ...note) {
    this.cells = cells;
    replace(this.code, codeSpans(cells, this.names));
    replace(this.note, ...note);
  }
}

export class AloneView {
  // `begin`: the solve's first event; `names` and colours are those of its actions. ask(request, tell) has a solve of
  // its own made and tells its events.
  constructor(begin, names, { ask, mostBudget }) {
    Object.assign(this, { begin, names, ask, mostBudget });
    this.cards = el("div", { class: "answer-cards" });
    this.best = null;
    this.nfe = 0;
    const hint = `One plain decoding each, of about ${begin.window} passes beside the search's budget.`;
    this.element = el("section", { class: "alone", "aria-label": "One model alone" },
      el("div", { class: "heading" }, el("h3", {}, "One model alone")), el("p", { class: "small soft" }, hint),
      el("div", { class: "tools" }, begin.models.map((model) => this.#button(model))), this.cards);
  }

  #button(model) {
    const click = (event) => {
      event.target.disabled = true;
      this.#start(model, event.target);
    };
    return el("button", { type: "button", click }, `Ask ${model} alone`);
  }

  // Its colour is that of the first action that the model has by itself.
  #coloured(cells, model) {
    const action = Math.max(this.begin.actions.findIndex((one) => one.model === model), 0);
    return cells.map((cell) => (cell.action >= 0 ? { ...cell, action } : cell));
  }

  async #start(model, button) {
    const card = new AnswerCard(`${model} alone`, this.names), tree = new SearchTree(this.begin.window);
    if (!this.searched) {
      this.searched = new AnswerCard("The search's best answer", this.names);
      this.cards.append(this.searched.element);
      this.#showBest();
    }
    this.cards.append(card.element);
    card.show(maskedWindow(this.begin.window), "It waits for the device.");
    let judged = false;
    const tell = ({ kind, data }) => {
      if (kind === "state" && !judged) card.show(this.#coloured(pictured(data, null), model), `${data.nfe} passes so far`);
      else if (kind === "rollout" && !judged) {
        judged = true;
        card.show(this.#coloured(windowAt(tree.add(data)).cells, model),
          `reward ${formatReward(data.reward)} after ${data.nfe} passes of its own. `, signs(data.verdict ?? {}));
      } else if (kind === "end" && data.error) this.#failed(card, button, data.error.message);
    };
    try {
      await this.ask(aloneRequest(this.begin, model, this.mostBudget), tell);
    } catch (error) {
      this.#failed(card, button, error.message);
    }
  }

  #failed(card, button, message) {
    card.show([], el("span", { class: "bad" }, message));
    button.disabled = false;
  }

  // The best node of the search so far, the verdict on it, and what was spent.
  showBest(node, verdict, nfe) {
    Object.assign(this, { best: node, verdict, nfe });
    this.#showBest();
  }

  #showBest() {
    if (!this.searched) return;
    if (!this.best) return this.searched.show(maskedWindow(this.begin.window), "There is none yet.");
    this.searched.show(windowAt(this.best).cells, `reward ${formatReward(this.best.reward)} after ${this.nfe} passes. `, signs(this.verdict ?? {}));
  }
}
