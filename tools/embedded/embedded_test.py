#!/usr/bin/env python3
"""Tests of the tools that make the embedded models. Those that need PyTorch skip where there is none.

    tools/embedded/embedded_test.py [path of umf]    with the engine, which is then held to PyTorch too
"""

import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import search
from judging import Judge, tests_of
from mixtures import EXAM, SETS, knowledge
from operations import OPERATIONS
from search import Rollout, UnMaskFork, targets
from tasks import composition_of, draw_steps, draw_tests, make_problems, partition, training_text, write_code
from tokenizers import FAMILIES, convert, learn

try:
    import torch
except ImportError:
    torch = None

ENGINE = sys.argv.pop(1) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else None
NEEDS_TORCH = unittest.skipIf(torch is None, "PyTorch is not installed (Debian: python3-torch)")
NEEDS_ENGINE = unittest.skipIf(torch is None or ENGINE is None, "needs PyTorch and the path of umf")


class Tasks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dev = make_problems("dev", 40, lambda prompt, code: True, seed=3)
        cls.test = make_problems("test", 40, lambda prompt, code: True, seed=3)

    def test_no_composition_is_in_two_sets(self):
        dev, test = ({composition for _, composition, _ in problems} for problems in (self.dev, self.test))
        self.assertFalse(dev & test)
        rng = random.Random(5)
        drawn = {composition_of(draw_steps(rng, EXAM, 3)) for _ in range(20000)}
        for composition in (dev | test) & drawn:
            self.assertNotEqual(partition(composition), "train")
        self.assertTrue(any(partition(composition) == "train" for composition in drawn))

    def test_programs_of_training_solve_no_problem_word_for_word(self):
        rng = random.Random(6)
        training = {training_text(rng, EXAM)[1] for _ in range(5000)}
        self.assertFalse(training & {code for _, _, code in self.dev + self.test})

    def test_the_reference_program_passes_visible_and_hidden_tests(self):
        judge = Judge()
        for problem, _, code in self.dev:
            for reward in (problem["reward"], problem["hidden"]):
                tests = tests_of(reward)
                self.assertEqual(judge.passed(code, tests), len(tests), problem["prompt"])

    def test_programs_of_every_style_do_the_same_and_look_different(self):
        rng, judge, compared = random.Random(8), Judge(), 0
        for _ in range(60):
            steps = draw_steps(rng, EXAM, 4)
            tests = draw_tests(rng, steps, judge) or []
            plain, names, layout = (write_code(steps, style) for style in ("plain", "names", "layout"))
            self.assertEqual(len({plain, names, layout}), 3)
            self.assertEqual(names.count("\n"), plain.count("\n"))
            for code in (plain, names, layout):
                self.assertEqual(judge.passed(code, tests), len(tests), code)
            compared += len(tests)
        self.assertGreater(compared, 100)

    def test_a_seed_gives_the_same_problems(self):
        again = make_problems("dev", 40, lambda prompt, code: True, seed=3)
        self.assertEqual([p for p, _, _ in again], [p for p, _, _ in self.dev])

    def test_of_halves_every_two_models_know_all_operations(self):
        known = knowledge(0.5)
        for first in known:
            for second in set(known) - {first}:
                self.assertEqual(len(known[first] | known[second]), len(OPERATIONS))
            self.assertLess(len(known[first]), len(OPERATIONS))

    def test_a_program_that_does_not_end_well_passes_nothing(self):
        tests = [(3, 3)]
        for code in ("def f(n):\n    return n +", "def g(n):\n    return n", "def f(n):\n    while n: pass",
                     "def f(n):\n    return open('x')", "def f(n):\n    return [n for n in range(10 ** 9)]",
                     "def f(n):\n    return 3.0"):
            self.assertEqual(Judge(0.2).passed(code, tests), 0, code)


class Tokenizers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tokenizers = {name: learn(name) for name in FAMILIES}
        rng = random.Random(7)
        cls.texts = [training_text(rng, EXAM) for _ in range(500)]

    def test_code_has_the_same_boundaries_in_every_vocabulary(self):
        for _, code in self.texts:
            cuts = {tuple(len(t.token_bytes[i]) for i in t.encode(code)) for t in self.tokenizers.values()}
            self.assertEqual(len(cuts), 1)

    def test_with_fewer_merges_code_is_cut_into_more_tokens(self):
        cut, whole = learn("llada", code_merges=110), self.tokenizers["llada"]
        lengths = [(len(cut.encode(code)), len(whole.encode(code))) for _, code in self.texts]
        self.assertGreater(sum(a for a, _ in lengths), 1.1 * sum(b for _, b in lengths))
        self.assertEqual("".join(cut.token_bytes[i].decode() for i in cut.encode(self.texts[0][1])), self.texts[0][1])

    def test_vocabularies_differ_in_ids_and_in_english(self):
        encodings = [[tuple(t.encode(text)) for text, _ in self.texts] for t in self.tokenizers.values()]
        lengths = [[len(ids) for ids in encoding] for encoding in encodings]
        for i in range(3):
            self.assertNotEqual(encodings[i], encodings[i - 1])
            self.assertNotEqual(lengths[i], lengths[i - 1])

    def test_conversion_keeps_bytes_and_masks(self):
        rng = random.Random(8)
        for _, code in self.texts[:100]:
            for source in self.tokenizers.values():
                window = [source.mask if rng.random() < 0.3 else i for i in source.encode(code)]
                window += [source.eos] * 3
                for target in self.tokenizers.values():
                    there = convert(window, source, target)
                    self.assertEqual(there.count(target.mask), window.count(source.mask))
                    self.assertEqual(there.count(target.eos), 3)
                    self.assertEqual(target.text(there), source.text(window))

    def test_bytes_beyond_ascii_survive(self):
        for tokenizer in self.tokenizers.values():
            for data in ("naïve 中文".encode(), b"\xff\xfe x", bytes(range(256))):
                ids = tokenizer.encode_bytes(data)
                self.assertEqual(b"".join(tokenizer.token_bytes[i] for i in ids), data)


class FakeVocabulary:
    """Numbers its tokens by action; enough for a search that never looks at text."""

    def __init__(self, name):
        self.family, self.mask = type("Family", (), {"name": name}), f"mask {name}"


class Search(unittest.TestCase):
    def play(self, actions, reward, budget, window=768):
        """(misses, hits) with the rewards of docs/algorithm.md#golden-figures: functions of the action at each level."""
        vocabularies = [FakeVocabulary(str(i)) for i in range(actions)]
        fork = UnMaskFork(list(range(actions)), vocabularies, window, budget)
        run, starts = fork.run(), [window] + targets(window)
        try:
            action, cells = next(run)
            while True:
                mask, when = vocabularies[action].mask, []
                for cell in cells:
                    when.append(len([w for w in when if w >= 0]) if cell == mask else -1)
                filled = [action if cell == mask else cell for cell in cells]
                levels = [filled[window - masks] for masks in starts]
                action, cells = run.send(Rollout(filled, when, "", reward(levels)))
        except StopIteration:
            return len(fork.misses), fork.hits

    def setUp(self):
        self.convert = search.convert
        search.convert = lambda cells, source, target: [
            target.mask if cell == source.mask else cell for cell in cells]

    def tearDown(self):
        search.convert = self.convert

    def test_golden_figures(self):
        def nothing(levels):
            return 0.0

        def modulo(levels):
            return (sum((3 * a + 1) * (d + 1) ** 3 for d, a in enumerate(levels)) % 11) / 10

        self.assertEqual(self.play(2, nothing, 3072), (5, 6))
        self.assertEqual(self.play(2, nothing, 12288), (22, 30))
        self.assertEqual(self.play(3, nothing, 12288), (19, 12))
        self.assertEqual(self.play(2, modulo, 6144), (11, 12))


class RandomModels:
    """For tests of models: weights without meaning, as loud as trained ones."""

    def random_model(self, name):
        from models import TINY, Model, round_to_bfloat16
        torch.manual_seed(1)
        tokenizer = learn(name)
        model = Model(name, tokenizer.size, TINY)
        for key, parameter in model.named_parameters():
            torch.nn.init.normal_(parameter, 1.0 if "norm" in key else 0.0, 0.25)
        return round_to_bfloat16(model).eval(), tokenizer

    def logits(self, model, tokens):
        from models import attention_bias
        length = len(tokens)
        rows = torch.arange(length)[None]
        bias = attention_bias(model.traits, torch.tensor([length]), length)
        with torch.no_grad():
            return model(torch.tensor([tokens]), rows, bias, rows)[0]


@NEEDS_TORCH
class Models(RandomModels, unittest.TestCase):
    def test_the_noisy_copy_of_a_block_sees_what_decoding_will_show_it(self):
        from train import COPY, WIDTH, WINDOW, block_loss, sample_data
        model, tokenizer = self.random_model("diffcoder")
        data = sample_data(tokenizer, SETS["exposed"]["diffcoder"], 4, 0, 1).long()
        seen, forward = {}, model.forward

        def spy(tokens, positions, bias, rows):
            seen.update(tokens=tokens, logits=forward(tokens, positions, bias, rows))
            return seen["logits"]

        model.forward = spy
        with torch.no_grad():
            block_loss(model, data[:, 1:], data[:, 0], tokenizer.mask)
        model.forward = forward
        for row in range(len(data)):
            prompt = int(data[row, 0])
            clean, start = data[row, 1:1 + prompt + WINDOW].tolist(), prompt // 4 * 4
            noisy = seen["tokens"][row, WIDTH:].tolist()
            for first in range(0, COPY, 4):
                last = min(start + first + 4, len(clean)) - start
                if last > first:
                    tokens = clean[:start + first] + noisy[first:last] + clean[start + last:]
                    expected = self.logits(model, tokens)[start + first:start + last]
                    self.assertTrue(torch.allclose(seen["logits"][row, first:last], expected, atol=1e-4))

    def test_written_weights_come_back(self):
        from export import load_weights, tensors_of, write_safetensors
        for name in FAMILIES:
            model, _ = self.random_model(name)
            with tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder) / "model.safetensors"
                write_safetensors(file, tensors_of(model))
                other = load_weights(type(model)(name, model.vocabulary, model.shape), file)
            self.assertTrue(all(map(torch.equal, model.parameters(), other.parameters())))

    def test_rows_of_a_batch_decode_as_if_alone(self):
        from decoding import Action, Decoder
        rng = random.Random(9)
        prompts = [training_text(rng, EXAM)[0] for _ in range(3)]
        for name in FAMILIES:
            model, tokenizer = self.random_model(name)
            decoder = Decoder(model, tokenizer, 24, torch.device("cpu"))
            action = Action(name, "entropy" if name == "dream" else "low-confidence")
            windows = [[tokenizer.mask] * size for size in (24, 17, 20)]
            chats = [tokenizer.chat(prompt) for prompt in prompts]
            together = decoder.rollouts(action, chats, windows)
            alone = [decoder.rollouts(action, [chat], [window])[0] for chat, window in zip(chats, windows)]
            self.assertEqual(together, alone)


@NEEDS_ENGINE
class Engine(RandomModels, unittest.TestCase):
    """What is written here is what the engine computes."""

    def run_engine(self, *arguments, lines=()):
        text = "".join(json.dumps(line) + "\n" for line in lines)
        done = subprocess.run([ENGINE, *map(str, arguments)], input=text, capture_output=True, text=True, check=True)
        return done.stdout

    def test_tokenizers_chats_and_logits_agree(self):
        import numpy
        from export import export
        rng = random.Random(10)
        texts = [text for _ in range(1000) for text in training_text(rng, EXAM)]
        texts += ["é x²  y\n\n   zz a_b", "   ", "==!=//=/ =!", "  \n  x\t\ty", " 123 4", "naïve 中文\r\n", "don't"]
        for name in FAMILIES:
            model, tokenizer = self.random_model(name)
            with tempfile.TemporaryDirectory() as folder:
                folder = pathlib.Path(folder)
                export(model, tokenizer, folder, "")
                ids = self.run_engine("tokenize", "--no-special", "--model", folder, lines=texts).splitlines()
                self.assertEqual([json.loads(line) for line in ids],
                                 [tokenizer.encode_bytes(text.encode()) for text in texts])
                back = self.run_engine("tokenize", "--decode", "--model", folder,
                                       lines=[json.loads(line) for line in ids]).splitlines()
                self.assertEqual([json.loads(line) for line in back], texts)
                chats = self.run_engine("tokenize", "--chat", "--model", folder,
                                        lines=[[{"role": "user", "content": text}] for text in texts[:200:2]])
                self.assertEqual([json.loads(line) for line in chats.splitlines()],
                                 [tokenizer.chat(text) for text in texts[:200:2]])
                tokens = tokenizer.chat(texts[0]) + tokenizer.encode(texts[1])[:20] + [tokenizer.mask] * 30
                (folder / "tokens").write_text(json.dumps(tokens))
                self.run_engine("logits", "--quiet", "--model", folder, "--tokens", folder / "tokens",
                                "--out", folder / "logits.npy")
                found = torch.from_numpy(numpy.load(folder / "logits.npy"))
                self.assertTrue(torch.allclose(found, self.logits(model, tokens), atol=1e-4))

    def test_decodings_agree_commit_by_commit(self):
        from decoding import Decoder
        from evaluate import STYLES
        from export import export
        prompt = training_text(random.Random(11), EXAM)[0]
        for name in FAMILIES:
            model, tokenizer = self.random_model(name)
            with torch.no_grad():
                model.head.weight[tokenizer.eos] *= 4  # so that the rules about it are at work
            decoder = Decoder(model, tokenizer, 32, torch.device("cpu"))
            for style in STYLES.values():
                action = style[name]
                cells, when = decoder.rollouts(action, [tokenizer.chat(prompt)], [[tokenizer.mask] * 32])[0]
                with tempfile.TemporaryDirectory() as folder:
                    export(model, tokenizer, pathlib.Path(folder), "")
                    trace = pathlib.Path(folder) / "trace"
                    self.run_engine("generate", "--quiet", "--model", folder, "--length", 32, "--strategy",
                                    action.strategy, "--temperature", 0, "--top-p", 1, "--no-stop-at-end", "--commit", "one",
                                    "--eos-penalty", action.eos_penalty,
                                    *(["--eos-last"] if action.eos_last else []), "--trace", trace, prompt)
                    passes = [json.loads(line)["commits"] for line in trace.read_text().splitlines()]
                commits = [(commit["cell"], commit["token"]) for made in passes for commit in made]
                self.assertEqual(commits, [(i, cells[i]) for i in sorted(range(32), key=lambda i: when[i])])


@NEEDS_TORCH
class Make(unittest.TestCase):
    def test_the_whole_path_in_tiny(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder)
            subprocess.run([sys.executable, HERE / "make.py", "--out", out, "--smoke", "--workers", "1"],
                           check=True, capture_output=True)
            record = json.loads((out / "exposed" / "results.json").read_text())
            self.assertIn("umf dream+llada+diffcoder text-first", record["results"])
            for name in FAMILIES:
                for file in ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "README.md"):
                    self.assertTrue((out / "exposed" / name / file).is_file())
            self.assertEqual(len((out / "problems" / "test.jsonl").read_text().splitlines()), 300)

    def test_other_vocabularies_and_styles_in_tiny(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, HERE / "differences.py", "--out", folder, "--smoke", "--workers", "1"],
                           check=True, capture_output=True)
            for name in ("cut", "names", "layout"):
                self.assertTrue((pathlib.Path(folder) / f"llada-{name}" / "model.safetensors").is_file())


if __name__ == "__main__":
    unittest.main()
