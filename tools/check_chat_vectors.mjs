// Compares @huggingface/jinja, the JavaScript interpreter, with the expected texts under
// tests/data/chat_templates and prints where it differs. jinja2 is the one we follow.
//
//   npm install @huggingface/jinja && node tools/check_chat_vectors.mjs
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

// Found from the folder of the call, so that nothing has to be installed into the repository.
const require = createRequire(path.join(process.cwd(), "package.json"));
const { Template } = require("@huggingface/jinja");
const data = new URL("../tests/data/chat_templates/", import.meta.url);
const rows = (name) => JSON.parse(readFileSync(new URL(name, data), "utf8"));

function render(source, variables) {
  try {
    return { expected: new Template(source).render(structuredClone(variables)) };
  } catch (error) {
    return { error: String(error.message).split("\n")[0] };
  }
}

function compare(name, entries) {
  let same = 0;
  for (const { label, source, row } of entries) {
    const made = render(source, row.variables);
    if (made.expected === row.expected && ("error" in made) === ("error" in row)) {
      ++same;
      continue;
    }
    console.log(`--- ${label}\n  jinja2: ${JSON.stringify(row.expected ?? row.error)}`);
    console.log(`  js:     ${JSON.stringify(made.expected ?? "Error: " + made.error)}`);
  }
  console.log(`${name}: ${same} of ${entries.length} agree`);
}

compare(
  "vectors",
  rows("vectors.json").map((row) => ({
    label: `${row.template} ${row.conversation}`,
    source: readFileSync(new URL(row.template, data), "utf8"),
    row,
  })),
);
compare(
  "snippets",
  rows("snippets.json").map((row) => ({ label: row.source, source: row.source, row })),
);
