"""Runs of umf bench on the embedded models: the undisturbed one, and what others are held to."""

import collections
import contextlib
import json
import os
import pathlib
import re
import subprocess

HEARTBEAT = 1  # seconds: a worker is taken for dead after six

CONFIGURATIONS = [
    {
        "name": "umf",
        "budget": [96, 192],
        "action": [
            "model=dream,strategy=entropy,top-p=1,eos-penalty=3,commit=one",
            "model=llada,strategy=low-confidence,eos-last=true,commit=one",
        ],
    },
    {
        "name": "bon",
        "search": "best-of-n",
        "budget": [96],
        "action": ["model=llada,strategy=low-confidence,eos-last=true,commit=one,temperature=0.5"],
    },
]


def results_of(job):
    """The results that a job gives, by its name: a problem and a configuration, by number."""
    problem, configuration = (int(number) for number in job.split("-"))
    entry = CONFIGURATIONS[configuration]
    return {(f"dev/{problem:03}", entry["name"], budget) for budget in entry["budget"]}


def holder_of(lease):
    """The worker; nothing where the lease was retired in the meantime, or is being made."""
    try:
        return json.loads(lease.read_text(encoding="utf-8"))["worker"]
    except (OSError, ValueError):
        return ""


class Bench:
    """What is measured, and what comes of it on one process that nobody disturbs."""

    def __init__(self, umf, problems, folder, count):
        self.umf, self.folder = pathlib.Path(umf).resolve(), folder
        configurations = folder / "configurations.json"
        configurations.write_text(json.dumps(CONFIGURATIONS))
        self.words = [problems, "--limit", count, "--window", 96, "--configs", configurations, "--threads", 1]
        self.words += ["--heartbeat", HEARTBEAT]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("SLURM_")}
        self.whole = Run(self, "undisturbed")
        subprocess.run(self.command(self.whole), check=True, env=environment, stdout=subprocess.DEVNULL)

    def command(self, run, *more):
        return list(map(str, [self.umf, "bench", *self.words, "--out", run.folder, "--quiet", *more]))


class Run:
    """A run directory, and the logs of its workers beside it."""

    def __init__(self, bench, name):
        self.bench = bench
        self.logs = bench.folder / name
        self.logs.mkdir()
        self.folder = self.logs / "run"

    @property
    def words(self):
        return [*self.bench.words, "--out", self.folder]

    def recorded(self):
        """Every line that any worker wrote."""
        lines = []
        for file in sorted(self.folder.glob("results/*.jsonl")):
            text = file.read_text(encoding="utf-8")
            lines += [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]
        return lines

    def workers(self):
        """Where workers are, by the names of their files."""
        return [file.stem for file in self.folder.glob("workers/*.json")]

    def progress(self):
        """A number that grows with every result, and with every rollout of a search under way."""
        journals = {}
        for file in self.folder.glob("checkpoints/*"):
            with contextlib.suppress(OSError):
                # Whoever takes a search over begins with a copy.
                search = file.name.partition(".")[0]
                journals[search] = max(journals.get(search, 0), file.stat().st_size)
        return len(self.recorded()) * 10**9 + sum(journals.values())

    def at_work_on(self, node):
        """Jobs that workers of a node hold and that are not done."""
        recorded = {(line["id"], line["configuration"], line["budget"]) for line in self.recorded()}
        leases = {}  # the highest epoch of each job
        for file in self.folder.glob("leases/*"):
            name = re.fullmatch(r"(\d+-\d+)\.(\d+)", file.name)
            if name and not results_of(name[1]) <= recorded:
                leases[name[1]] = max(leases.get(name[1], (0, file)), (int(name[2]), file))
        return [job for job, (_, file) in leases.items() if holder_of(file).startswith(node + "-")]

    def status(self):
        done = subprocess.run([self.bench.umf, "status", self.folder, "--json"], capture_output=True, check=True)
        return json.loads(done.stdout)

    def log(self):
        return "".join(file.read_text(errors="replace") for file in sorted(self.logs.glob("*.log")))

    def result_lines(self):
        """The merged results without what differs from run to run: everything from `passes` on."""
        text = (self.folder / "results.jsonl").read_text(encoding="utf-8")
        return [line.partition(',"passes":')[0] for line in text.splitlines()]

    def products(self):
        """The other files that every run must have alike."""
        names = ["samples.jsonl", "problems.jsonl"]
        for kind in ("samples", "traces"):
            names += [str(file.relative_to(self.folder)) for file in self.folder.glob(kind + "/*")]
        return {name: (self.folder / name).read_bytes() for name in sorted(names) if ".tmp-" not in name}


def check(run, killed=()):
    """Throws AssertionError where a run is not what the undisturbed one is. Workers of the nodes `killed` may have been
    killed when there was nobody else any more to notice it."""
    whole = run.bench.whole
    assert run.result_lines() == whole.result_lines(), f"{run.folder}/results.jsonl differs from an undisturbed run's"
    theirs, ours = whole.products(), run.products()
    differing = [name for name in theirs.keys() | ours.keys() if theirs.get(name) != ours.get(name)]
    assert not differing, f"{run.folder}: {differing} differ from an undisturbed run's"
    keys = collections.Counter((line["id"], line["configuration"], line["budget"]) for line in run.recorded())
    twice = [key for key, count in keys.items() if count > 1]
    assert not twice, f"{run.folder}: done twice: {twice}"
    status = run.status()
    assert status["complete"] and status["failed"] == 0, status
    assert json.loads((run.folder / "summary.json").read_text())["complete"], "the views are not the last ones"
    left = [file.name for kind in ("workers", "leases", "checkpoints") for file in run.folder.glob(kind + "/*")]
    left = [name for name in left if name.partition("-")[0] not in killed]
    assert not left, f"left behind: {left}"
