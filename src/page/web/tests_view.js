// What a judge said of an end, test by test.
import { el } from "./dom.js";

export const OUTCOMES = {
  p: ["\u2713", "pass", "good"], w: ["\u2717", "wrong", "bad"], e: ["\u2717", "error", "bad"], t: ["\u23f1", "timeout", "bad"],
  m: ["\u2717", "out of memory", "bad"], c: ["\u2717", "crash", "bad"], s: ["?", "sandbox error", "soft"],
};
const MOST_SHOWN = 200;

// The verdicts of a trace with the names of their tests, which are told once: Map of end to verdict.
export function verdictsOf(lines) {
  const verdicts = new Map();
  let names = [];
  for (const { verdict, path } of lines) {
    if (!verdict) continue;
    names = verdict.names ?? names;
    verdicts.set(path.at(-1), { ...verdict, names });
  }
  return verdicts;
}

export function testsView(verdict) {
  if (!verdict.outcomes) return el("p", {}, verdict.why || "The judge says nothing more.");
  const tests = [...verdict.outcomes].slice(0, MOST_SHOWN).map((letter, i) => {
    const [sign, words, look] = OUTCOMES[letter] ?? OUTCOMES.s;
    const why = verdict.failures?.[i];
    return el("li", {}, el("span", { class: look }, `${sign} ${verdict.names[i] ?? `test ${i + 1}`}: ${words}`),
      why && el("span", { class: "why" }, why));
  });
  const passed = [...verdict.outcomes].filter((letter) => letter === "p").length;
  return el("div", {}, el("p", {}, `${passed} of ${verdict.outcomes.length} visible tests pass`),
    el("ul", { class: "tests" }, tests,
      verdict.outcomes.length > MOST_SHOWN && el("li", { class: "soft" }, `${verdict.outcomes.length - MOST_SHOWN} more`)));
}
