// How actions look: a colour, a line under text, and a letter each, so that no one has to tell them by colour alone.

const LOOKS = 8; // theme.css has so many

export function actionClass(action) {
  return action < 0 ? "by-nobody" : `by-${action % LOOKS}`;
}

export function actionColour(action) {
  return `--action-${action % LOOKS}`;
}

export function actionLetter(action) {
  return action < 26 ? String.fromCharCode(65 + action) : String(action + 1);
}
