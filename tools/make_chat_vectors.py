#!/usr/bin/python3
"""Writes what jinja2 makes of the templates and snippets under tests/data/chat_templates.

    tools/make_chat_vectors.py            writes snippets.json and vectors.json there, and
                                          published.json where ../shared/data has tokenizers
    tools/make_chat_vectors.py --print T  renders the template file T with every conversation

The environment is the one Hugging Face transformers uses for chat templates. Needs jinja2 3.1.
"""
import gzip
import json
import pathlib
import sys

import jinja2
import jinja2.ext
import jinja2.nodes
import jinja2.sandbox

DATA = pathlib.Path(__file__).resolve().parent.parent / "tests/data/chat_templates"
SHARED = DATA.parent.parent.parent.parent / "shared/data/tokenizers"
SPECIALS = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>"}
SNIPPET_VARIABLES = {
    "messages": [
        {"role": "system", "content": "Be <b>brief</b>."},
        {"role": "user", "content": "Grüße, it's \"me\"\n"},
    ],
}


class Generation(jinja2.ext.Extension):
    """{% generation %}: marks the assistant's words for training, prints them unchanged."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        call = self.call_method("_run", [])
        return jinja2.nodes.CallBlock(call, [], [], body).set_lineno(line)

    def _run(self, caller):
        return caller()


def raise_exception(message):
    raise jinja2.exceptions.TemplateError(message)


def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def environment():
    env = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, "jinja2.ext.loopcontrols"]
    )
    env.filters["tojson"] = tojson
    env.globals["raise_exception"] = raise_exception
    return env


def render(source, variables):
    """{"expected": text}, or {"error": what} where jinja2 raises."""
    try:
        return {"expected": environment().from_string(source).render(**variables)}
    except Exception as error:  # whatever stops jinja2 has to stop us
        return {"error": f"{type(error).__name__}: {error}".split(" object at 0x")[0]}


def variables_of(conversation):
    given = {key: value for key, value in conversation.items() if key != "name"}
    return {"tools": None, "documents": None, "add_generation_prompt": True, **SPECIALS, **given}


def write(path, rows):
    lines = ",\n".join(json.dumps(row, ensure_ascii=True) for row in rows)
    path.write_text("[\n" + lines + "\n]\n")


def fingerprint(text):
    """FNV-1a of the UTF-8 bytes: published templates are not copied, nor what they print."""
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = ((value ^ byte) * 0x100000001B3) % 2**64
    return f"{value:016x}"


def published_rows(conversations):
    for path in sorted(SHARED.glob("*/tokenizer_config.json.gz")):
        config = json.loads(gzip.decompress(path.read_bytes()))
        tokens = {k: config[k] for k in ("bos_token", "eos_token", "pad_token") if config.get(k)}
        for conversation in conversations:
            row = {"model": path.parent.name, "conversation": conversation["name"], "variables": tokens}
            made = render(config["chat_template"], {**variables_of(conversation), **tokens})
            yield row | ({"fingerprint": fingerprint(made["expected"])} if "expected" in made else made)


def main():
    conversations = json.loads((DATA / "conversations.json").read_text())
    if len(sys.argv) == 3 and sys.argv[1] == "--print":
        source = pathlib.Path(sys.argv[2]).read_text()
        for conversation in conversations:
            print(f"=== {conversation['name']}\n{render(source, variables_of(conversation))}")
        return
    snippets = (DATA / "snippets.txt").read_text().split("\n----\n")
    write(
        DATA / "snippets.json",
        [
            {"source": s, "variables": variables, **render(s, variables)}
            for s in snippets
            for variables in [SNIPPET_VARIABLES if "messages" in s else {}]
        ],
    )
    write(
        DATA / "vectors.json",
        [
            {
                "template": path.name,
                "conversation": conversation["name"],
                "variables": variables_of(conversation),
                **render(path.read_text(), variables_of(conversation)),
            }
            for path in sorted(DATA.glob("*.jinja"))
            for conversation in conversations
        ],
    )
    if SHARED.exists():
        write(DATA / "published.json", published_rows(conversations))


if __name__ == "__main__":
    main()
