"""One model from Python: decodings, tokens, logits and lm-eval's requests."""

import unittest
from types import SimpleNamespace

import fixture
import umf

try:
    import numpy
except ImportError:
    numpy = None


class Models(unittest.TestCase):
    def setUp(self):
        self.model = umf.load(fixture.TINY[0])

    def test_is_described(self):
        self.assertEqual(self.model.info["family"], "dream")
        self.assertIn("tiny-dream", repr(self.model))
        self.assertIn("dream", umf.embedded_models())
        self.assertIn("unmaskfork", [search["name"] for search in umf.describe()["searches"]])

    def test_ids_and_texts_are_inverse(self):
        text = "def f(s):\n    return s[::-1]  # ∞"
        self.assertEqual(self.model.decode(self.model.encode(text)), text)
        chat = self.model.encode_chat([{"role": "user", "content": text}])
        self.assertIn(text, self.model.decode(chat))
        with self.assertRaisesRegex(umf.Error, "is not a token id below"):
            self.model.decode([1 << 40])

    def test_passes_are_told_and_may_stop_the_decoding(self):
        passes = []
        whole = self.model.generate("Hello", length=16, on_pass=passes.append)
        self.assertEqual([one["pass"] for one in passes], list(range(1, whole.nfe + 1)))
        self.assertEqual(len(whole.tokens), 16)
        part = self.model.generate("Hello", length=16, on_pass=lambda one: one["pass"] < 3)
        self.assertEqual((part.nfe, part.complete), (3, False))

    def test_a_prompt_is_a_message_a_conversation_text_or_tokens(self):
        message = self.model.generate("Hello", length=8)
        self.assertEqual(message, self._same(message, [{"role": "user", "content": "Hello"}]))
        ids = self.model.encode_chat([{"role": "user", "content": "Hello"}])
        self.assertEqual(self.model.generate("", prompt_tokens=ids, length=8).tokens, message.tokens)
        self.assertEqual(self.model.generate(self.model.decode(ids), raw=True, length=8).tokens, message.tokens)
        with self.assertRaisesRegex(umf.Error, "give one of"):
            self.model.generate("Hello", messages=[])

    def _same(self, like, prompt):
        other = self.model.generate(prompt, length=8)
        raw = {**other.raw, "seconds": like.raw["seconds"]}
        return umf.Generation(other.answer, other.tokens, other.nfe, other.complete, raw)

    @unittest.skipIf(numpy is None, "NumPy is not installed")
    def test_logits_are_those_of_the_program(self):
        import io

        tokens = [*range(5, 12), self.model.info["mask"]]
        rows = self.model.logits(tokens)
        self.assertEqual(rows.shape, (8, self.model.info["vocabulary"]))
        written = fixture.subprocess.run(
            [fixture.PROGRAM, "logits", "--model", fixture.TINY[0], "--tokens", "-", "--out", "-"],
            input=str(tokens).encode(), check=True, capture_output=True).stdout
        numpy.testing.assert_array_equal(rows, numpy.load(io.BytesIO(written)))
        numpy.testing.assert_array_equal(self.model.logits(tokens, [7, 2]), rows[[7, 2]])
        for wrong in ([-1], [8]):
            with self.assertRaisesRegex(umf.Error, "is not a position from 0 to 7"):
                self.model.logits(tokens, wrong)
        with self.assertRaisesRegex(umf.Error, "is not a token id"):
            self.model.logits([1 << 30])

    @unittest.skipIf(numpy is None, "NumPy is not installed")
    def test_likelihoods_are_estimates_of_the_bound(self):
        from umf.lm_eval import MonteCarloLM, greedily_written, monte_carlo_loglikelihood

        context = self.model.encode("Hello")
        # Of one token there is nothing to estimate: every sample is the model's own log probability.
        rows = self.model.logits([*context, self.model.info["mask"]], [len(context)])[0].astype(float)
        logs = rows - numpy.log(numpy.exp(rows - rows.max()).sum()) - rows.max()
        for samples in (1, 5):
            estimate = monte_carlo_loglikelihood(self.model, context, [7], samples=samples)
            self.assertAlmostEqual(estimate, logs[7], places=4)
        self.assertTrue(greedily_written(self.model, context, [int(rows.argmax())]))
        self.assertFalse(greedily_written(self.model, context, [int(rows.argmin())]))
        lm = MonteCarloLM(self.model, samples=8, length=8)
        requests = [SimpleNamespace(args=("Hello", " world")), SimpleNamespace(args=("Hello ", "world"))]
        first, second = lm.loglikelihood(requests)
        self.assertEqual(first, second)  # a space at the end belongs to what follows
        self.assertLess(first[0], 0)
        self.assertEqual(lm.loglikelihood(requests), [first, second])  # by the seed
        self.assertEqual(lm.loglikelihood_rolling([SimpleNamespace(args=("",))]), [0.0])
        answer = self.model.generate("Hello", raw=True, length=8).answer
        stop = answer[2:3]
        until = SimpleNamespace(args=("Hello", {"until": [stop], "max_gen_toks": 8}))
        self.assertEqual(lm.generate_until([until]), [answer.split(stop)[0] if stop else answer])


if __name__ == "__main__":
    unittest.main()
