// What stands behind the # of a report's address: PROBLEM, with RUN/ before it where the page has several runs and
// @CONFIGURATION behind it where that is not the first. Each is encoded, so that / and @ are never part of a name.

export function addressOf(runs, run, problem, configuration = 0) {
  const before = runs.length > 1 ? `${encodeURIComponent(run.name)}/` : "";
  const behind = configuration > 0 ? `@${encodeURIComponent(run.configurations[configuration].name)}` : "";
  return `#${before}${encodeURIComponent(problem.id)}${behind}`;
}

export function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // typed by hand: what it says is what it means
  }
}

// The ways to read an address: as an id alone, which people write as it is, and in its parts.
function readings(text) {
  const list = [{ id: decoded(text) }];
  const at = text.lastIndexOf("@"), slash = text.indexOf("/");
  const [whole, configuration] = at < 0 ? [text, undefined] : [text.slice(0, at), decoded(text.slice(at + 1))];
  if (at >= 0) list.push({ id: decoded(whole), configuration });
  if (slash >= 0 && slash < whole.length) list.push({ run: decoded(whole.slice(0, slash)), id: decoded(whole.slice(slash + 1)), configuration });
  return list;
}

// {run, problem, configuration}, the last a number; null where the page has none of that name.
export function findAddress(runs, address) {
  for (const { run: name, id, configuration } of readings(address.replace(/^#/, ""))) {
    for (const run of runs) {
      if (name !== undefined && run.name !== name) continue;
      const problem = run.problems.find((one) => one.id === id);
      const number = configuration === undefined ? 0 : run.configurations.findIndex((one) => one.name === configuration);
      if (problem && number >= 0) return { run, problem, configuration: number };
    }
  }
  return null;
}
