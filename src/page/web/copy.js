// A button that puts a text where people paste from.
import { el } from "./dom.js";

const TOLD_MS = 1500;

// Pages of other machines without TLS have no clipboard of their own; a selected text can be copied there, too.
function copySelected(text) {
  const area = el("textarea", { class: "visually-hidden", readonly: true });
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

// `text()` is what is copied.
export function copyButton(text, label = "Copy") {
  const click = async () => {
    button.textContent = (await copyText(text())) ? "Copied" : "Cannot copy";
    button.focus();
    setTimeout(() => { button.textContent = label; }, TOLD_MS);
  };
  const button = el("button", { type: "button", class: "copy", click }, label);
  return button;
}
