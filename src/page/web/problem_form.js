// What is to be solved, and how: an example or a problem of one's own; a configuration, or models and search; the budget.
import { el, replace } from "./dom.js";
import { actionClass, actionLetter } from "./actions.js";
import { testLabel } from "./live_tests.js";

const OWN = "", UNNAMED = "my problem";

// How answers are judged, as people edit it: an expression per line, or the reward as JSON where it is something else.
export function judgeText(reward) {
  const simple = reward.type === "python-tests" && Array.isArray(reward.tests) &&
    reward.tests.every((test) => typeof test.assert === "string" || typeof test.call === "string");
  return simple ? reward.tests.map(testLabel).join("\n") : JSON.stringify(reward, null, 2);
}

// A comparison with a plain value can say what came instead; names of the program mean nothing on that side.
function testOf(line) {
  const expression = line.replace(/^assert\s+/, "");
  const [call, expect, more] = expression.split(" == ");
  const words = (expect ?? "").replace(/"[^"\\]*"|'[^'\\]*'|\b(True|False|None)\b/g, "");
  const plain = expect !== undefined && more === undefined && call.includes("(") && !/[A-Za-z_"'\\]/.test(words);
  return plain ? { call, expect } : { assert: expression };
}

export function judgeOf(text) {
  if (text.trim().startsWith("{")) return JSON.parse(text);
  const lines = text.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  return { type: "python-tests", tests: lines.map(testOf) };
}

function field(label, input, hint) {
  return el("label", { class: "field" }, el("span", {}, label, hint && el("span", { class: "hint" }, ` ${hint}`)), input);
}

export class ProblemForm {
  // `about` is the server's; `solve` is called with the body of a request, `stop` without anything.
  constructor(about, solve, stop) {
    this.about = about;
    this.example = null; // as long as nobody changed it
    const number = (most, placeholder) => el("input", { type: "number", min: 1, max: most, step: 1, placeholder });
    this.examples = el("select", { change: () => this.#pick() },
      about.examples.map((problem, i) => el("option", { value: i }, problem.id)), el("option", { value: OWN }, "A problem of your own"));
    this.name = el("input", { type: "text", maxlength: 200, placeholder: UNNAMED });
    this.nameField = field("Name", this.name, "as the page and its report call it");
    this.prompt = el("textarea", { rows: 3, required: true, input: () => this.#own() });
    this.judge = el("textarea", { rows: 5, required: true, class: "mono", spellcheck: "false", input: () => this.#own() });
    this.configuration = el("select", { change: () => this.#configure() }, el("option", { value: OWN }, "Models and search below"),
      about.configurations.map(({ id, umf }) => el("option", { value: id, title: `${umf.search}: ${umf.actions.join("; ")}` }, id)));
    this.models = about.models.map((model, i) => {
      const box = el("input", { type: "checkbox", value: model.id, checked: true, change: () => this.#letters() });
      const letter = el("span", { class: `swatch ${actionClass(i)}`, "aria-hidden": "true" });
      return { box, letter, element: el("label", { class: "choice" }, box, letter, model.id) };
    });
    this.modelChoice = el("fieldset", {}, el("legend", {}, "Models, the strongest first"), this.models.map((model) => model.element));
    this.search = el("select", {},
      about.searches.map((search) => el("option", { value: search.name, title: search.summary }, search.name)));
    this.budget = number(about.max_budget, `${about.budget_windows} windows`);
    this.window = number(about.max_tokens, "");
    this.seed = el("input", { type: "number", min: 0, step: 1, placeholder: "0" });
    this.solveButton = el("button", { type: "submit", class: "primary" }, "Solve");
    this.stopButton = el("button", { type: "button", disabled: true, click: stop }, "Stop");
    this.mistake = el("p", { class: "notice bad-notice", role: "alert", hidden: true });
    this.element = el("form", { class: "problem-form", submit: (event) => this.#submit(event, solve) },
      field("Problem", this.examples), this.nameField, field("Prompt", this.prompt),
      field("Tests", this.judge, "one Python expression per line, or a reward as JSON"),
      this.#python(),
      about.configurations.length > 0 && field("Configuration", this.configuration), this.modelChoice,
      el("div", { class: "tools" }, field("Search", this.search), field("Budget", this.budget, "passes")),
      el("details", {}, el("summary", {}, "More settings"),
        el("div", { class: "tools" }, field("Window", this.window, "tokens"), field("Seed", this.seed))),
      this.mistake, el("div", { class: "tools" }, this.solveButton, this.stopButton));
    this.#letters();
    this.#configure();
    this.#pick();
  }

  // A configuration has models and a search of its own.
  #configure() {
    const { configurations, models } = this.about;
    const chosen = configurations.filter(({ id }) => id === this.configuration.value);
    this.modelChoice.disabled = this.search.disabled = chosen.length > 0;
    this.window.placeholder = String(Math.max(...(chosen.length > 0 ? chosen : models).map(({ umf }) => umf.window)));
  }

  #python() {
    if (this.about.rewards.includes("python-tests")) return null;
    return el("p", { class: "notice" },
      "This server runs no tests in Python: its operator may allow them with --allow-reward python-tests. " +
      `It judges by ${this.about.rewards.join(", ")}.`);
  }

  #letters() {
    let letters = 0;
    for (const { box, letter } of this.models) {
      letter.textContent = box.checked ? actionLetter(letters) : "\u2013";
      letter.className = `swatch ${box.checked ? actionClass(letters++) : "by-nobody"}`;
    }
  }

  #pick() {
    const problem = this.examples.value === OWN ? null : this.about.examples[Number(this.examples.value)];
    this.example = problem;
    this.name.value = "";
    this.nameField.hidden = problem !== null;
    this.prompt.value = problem?.prompt ?? "";
    this.judge.value = problem ? judgeText(problem.reward) : "";
    this.#fit();
  }

  #own() {
    if (!this.example) return;
    this.name.value = `${this.example.id}, changed`;
    this.nameField.hidden = false;
    this.example = null;
    this.examples.value = OWN;
  }

  #fit() {
    this.judge.rows = Math.min(Math.max(this.judge.value.split("\n").length + 1, 3), 12);
  }

  #problem() {
    return this.example ?? { id: this.name.value.trim() || UNNAMED, prompt: this.prompt.value, reward: judgeOf(this.judge.value) };
  }

  #method() {
    if (this.configuration.value !== OWN) return { model: this.configuration.value, umf: {} };
    const models = this.models.filter(({ box }) => box.checked).map(({ box }) => box.value);
    if (models.length === 0) throw new Error("Choose at least one model.");
    return { umf: { search: this.search.value, models } };
  }

  #request() {
    const request = { problem: this.#problem(), ...this.#method() };
    if (this.budget.value !== "") request.umf.budget = Number(this.budget.value);
    if (this.window.value !== "") request.max_tokens = Number(this.window.value);
    if (this.seed.value !== "") request.seed = Number(this.seed.value);
    return request;
  }

  async #submit(event, solve) {
    event.preventDefault();
    this.mistake.hidden = true;
    try {
      await solve(this.#request());
    } catch (error) {
      this.mistake.hidden = false;
      this.mistake.textContent = error instanceof SyntaxError ? `The tests are no JSON: ${error.message}` : error.message;
    }
  }

  // Whether a solve is shown that can be stopped.
  running(yes) {
    this.stopButton.disabled = !yes;
  }
}
