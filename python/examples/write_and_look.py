"""One model: a plain decoding, its tokens, and what it thinks about a masked position."""

import numpy

import umf

model = umf.load("dream")
print(model)

written = model.generate("Write f(s): reverse it, and return it.", length=48)
print(written.answer)
print(f"{written.nfe} forward passes")

# What stands behind the mask?
prompt = model.encode_chat([{"role": "user", "content": "Write f(s): reverse it, and return it."}])
window = list(written.tokens)
hidden = 4
asked = prompt + window
asked[len(prompt) + hidden] = model.info["mask"]
row = model.logits(asked, [len(prompt) + hidden])[0]
for token in numpy.argsort(-row)[:3]:
    print(f"{row[token]:8.3f}  {model.decode([token])!r}")
