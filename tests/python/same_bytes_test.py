"""The same request gives the same bytes from Python, the command line and HTTP. And runs and grades as rows."""

import json
import pathlib
import subprocess
import sys
import unittest
import urllib.request

import fixture
import umf

REWARD = {"type": "text", "checks": [{"contains": "a"}, {"contains": "the"}, {"longer-than": 20}]}
PROBLEM = {"id": "p", "prompt": "Say something.", "reward": REWARD}


class SameBytes(fixture.WithFolder):
    def test_a_search_is_that_of_the_command_line(self):
        for options in ({"search": "unmaskfork"}, {"search": "best-of-n"}, {"search": "dts", "seed": 5}):
            with self.subTest(**options):
                models = fixture.TINY if options["search"] == "unmaskfork" else fixture.TINY[:1]
                trace = self.folder / "trace"
                words = fixture.as_options(**fixture.SMALL, **options, trace=trace)
                for model in models:
                    words += ["--model", model]
                printed = json.loads(fixture.run("solve", self.write("p.json", PROBLEM), "--json", "--quiet", *words))
                events = []
                found = umf.solve(PROBLEM, models=models, on_rollout=events.append, **fixture.SMALL, **options)
                self.assertEqual(fixture.without_times(found.raw), fixture.without_times(printed))
                for event in events:
                    event.pop("text", None)
                self.assertEqual(events, [json.loads(line) for line in trace.read_text().splitlines()])

    def test_a_decoding_is_that_of_the_command_line(self):
        options = {"length": 24, "temperature": 0.7, "seed": 3}
        words = fixture.as_options(**options)
        printed = json.loads(fixture.run("generate", "Hello", "--model", fixture.TINY[1], "--json", "--quiet", *words))
        written = umf.load(fixture.TINY[1]).generate("Hello", **options)
        self.assertEqual(fixture.without_times(written.raw), fixture.without_times(printed))

    def test_http_gives_the_same(self):
        server = subprocess.Popen(
            [fixture.PROGRAM, "serve", "--port", "0", "--quiet", "--model", fixture.TINY[0], "--model", fixture.TINY[1]],
            stdout=subprocess.PIPE, text=True)
        try:
            address = server.stdout.readline().split()[-1]
            models = ["tiny-dream", "tiny-llada"]
            searched = self.post(address, {"model": models[0], "max_tokens": 16,
                                           "messages": [{"role": "user", "content": "Say something."}],
                                           "umf": {"search": "unmaskfork", "models": models, "budget": 64,
                                                   "stop_at_reward": "never", "reward": REWARD}})
            found = umf.solve(PROBLEM, models=fixture.TINY, search="unmaskfork", **fixture.SMALL)
            self.assertEqual(searched["choices"][0]["message"]["content"], found.answer)
            self.assertEqual(searched["umf"]["search"], found.raw["search"])
            self.assertEqual(searched["umf"]["best"], found.raw["best"])
            written = self.post(address, {"model": models[1], "max_tokens": 24, "seed": 3, "temperature": 0.7,
                                          "messages": [{"role": "user", "content": "Hello"}]})
            own = umf.load(fixture.TINY[1]).generate("Hello", length=24, seed=3, temperature=0.7)
            self.assertEqual(written["choices"][0]["message"]["content"], own.answer)
        finally:
            server.terminate()
            server.communicate()

    def post(self, address, body):
        request = urllib.request.Request(address + "/v1/chat/completions", json.dumps(body).encode(),
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as reply:
            return json.load(reply)


class Runs(fixture.WithFolder):
    def test_a_run_is_rows(self):
        tasks = [{"id": f"t{i}", "prompt": f"Say {i}.", "reward": REWARD, "hidden": REWARD} for i in range(2)]
        dataset = self.write("tasks.jsonl", "".join(json.dumps(task) + "\n" for task in tasks))
        out = str(self.folder / "run")
        fixture.run("bench", dataset, "--out", out, "--model", fixture.TINY[0], "--window", "8", "--budget", "8,16",
                    "--quiet")
        run = umf.Run(out)
        self.assertEqual(sorted((row["id"], row["budget"]) for row in run),
                         [("t0", 8), ("t0", 16), ("t1", 8), ("t1", 16)])
        self.assertIn("search.nfe", run.rows[0])
        written = [json.loads(line) for line in (self.folder / "run/results.jsonl").read_text().splitlines()]
        key = lambda row: (row["id"], row["budget"])
        self.assertEqual([row["answer"] for row in sorted(run.rows, key=key)],
                         [row["answer"] for row in sorted(written, key=key)])
        self.assertEqual(run.summary["problems"], 2)
        with self.assertRaises(umf.Error):
            umf.Run(self.folder / "nothing")
        shown = subprocess.run([sys.executable, str(EXAMPLES / "run_as_rows.py"), out], check=True, capture_output=True,
                               text=True).stdout
        self.assertRegex(shown, r" 16 \d/2 passed")

    def test_answers_are_graded_as_by_the_command_line(self):
        dataset = self.write("tasks.jsonl", json.dumps({"id": "t", "prompt": "Say a.", "reward": REWARD, "hidden": REWARD}))
        samples = [{"id": "t", "answer": "a"}, {"id": "t", "answer": "a cat in the hat, at least so long"}]
        heard = []
        grades = umf.grade(dataset, samples, on_sample=heard.append)
        file = self.write("samples.jsonl", "".join(json.dumps(sample) + "\n" for sample in samples))
        *lines, summary = map(json.loads, fixture.run("grade", dataset, file, "--quiet").splitlines())
        self.assertEqual(grades.samples, lines)
        self.assertEqual(heard, lines)
        self.assertEqual(grades.summary, summary["summary"])
        self.assertEqual([sample["passed"] for sample in grades.samples], [False, True])
        self.assertEqual(umf.grade(dataset, file).samples, lines)


EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "python/examples"


class Examples(unittest.TestCase):
    def test_every_example_runs(self):
        for script in sorted(EXAMPLES.glob("*.py")):
            if script.name == "run_as_rows.py":
                continue  # needs a run: above
            with self.subTest(script.name):
                done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=300)
                if "No module named 'numpy'" in done.stderr:
                    continue
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertTrue(done.stdout)


if __name__ == "__main__":
    unittest.main()
