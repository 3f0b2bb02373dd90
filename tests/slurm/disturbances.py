#!/usr/bin/env python3
"""Runs of umf bench under a Slurm of our own (cluster.py), disturbed in every way that a cluster knows.

    disturbances.py UMF SOURCE FOLDER [--rounds N] [--only NAME]...

Whatever happens, the merged results must be those of an undisturbed run on one process, byte for byte but for times and
names of workers; nothing may be done twice; and every worker must come to an end. Exit status 77: no cluster can be had
here. Logs and runs stay in FOLDER.
"""

import argparse
import os
import pathlib
import shutil
import signal
import sys
import time
import traceback

from cluster import SCRATCH, Cluster, Unavailable, await_that, name_of, prepare, start
from measured_run import HEARTBEAT, Bench, Run, check

PROBLEMS = 10
DEADLINE = 600  # seconds for what takes half a minute on an idle machine: no worker may wait for ever

# A worker whose log and temporary files are on its node's own disk.
LOCAL_LOG = """#!/bin/bash
export TMPDIR=%s
srun bash -c '"$UMF" bench "$@" >>"$TMPDIR/umf.log" 2>&1' umf "$@"
"""


class Stage:
    """A disturbance has a cluster, the templates that people use, and a run."""

    def __init__(self, cluster, source, run):
        self.cluster, self.run = cluster, run
        self.submitted, self.killed = [], set()  # jobs; nodes whose workers were or may have been killed
        self.templates = source / "tools/slurm"

    # A worker per node: they have two cores.
    def array(self, tasks, *options, bench=()):
        template = self.templates / "umf-array.sbatch"
        return self.submit(f"--array=0-{tasks - 1}", "--cpus-per-task=2", *options, template, bench=bench)

    def submit(self, *words, bench=()):
        self.submitted.append(self.cluster.submit(*words, *self.run.words, *bench, folder=self.run.logs))
        return self.submitted[-1]

    def await_that(self, what, condition):
        """What must come while the run goes on: a disturbance after its end disturbs nobody."""

        def come_or_over():
            if condition():
                return True
            assert any(self.cluster.jobs(job) for job in self.submitted), f"all tasks ended before {what}"
            return False

        await_that(what, come_or_over, DEADLINE)

    def await_work_on(self, *nodes):
        """Something is recorded, and each of them has a worker in the middle of a job."""
        self.await_that("the first result", self.run.recorded)
        self.await_that(f"work on {nodes}", lambda: all(self.run.at_work_on(node) for node in nodes))

    def await_restarts(self, job, count):
        await_that(f"{count} restarts of {job}", lambda: self.restarts(job) >= count, DEADLINE)

    def has_ended(self, job):
        return self.cluster.facts(job) and not self.cluster.jobs(job)

    def await_end(self, *jobs):
        self.cluster.await_end(*jobs, seconds=DEADLINE)

    def restarts(self, job):
        return sum(int(facts["Restarts"]) for facts in self.cluster.facts(job))

    def states(self, job):
        return sorted(facts["JobState"] for facts in self.cluster.facts(job))

    def kill_a_worker_on(self, node):
        """As the kernel does where memory is short."""
        os.kill(next(task for task in self.cluster.nodes[node].tasks() if name_of(task) == "umf"), signal.SIGKILL)
        self.killed.add(node)

    def recorded_on(self, node):
        return sum(line["worker"].startswith(node + "-") for line in self.run.recorded())

    def hosts(self):
        """Nodes that recorded results."""
        return {line["worker"].split("-")[0] for line in self.run.recorded()}


def an_array_over_four_nodes(stage):
    job = stage.array(4)
    stage.await_that("the run directory", (stage.run.folder / "config.json").exists)
    with open(stage.run.logs / "watch.txt", "wb") as shown:
        watcher = start(stage.run.bench.umf, "status", stage.run.folder, "--watch", "--every", "0.3", stdout=shown)
    try:
        stage.await_end(job)
        assert watcher.wait(timeout=DEADLINE) == 0, "umf status --watch ends with the run"
    finally:
        watcher.kill()
    text = (stage.run.logs / "watch.txt").read_text()
    assert all(node in text for node in stage.hosts()), text
    assert stage.states(job) == ["COMPLETED"] * 4, stage.states(job)
    assert len(stage.hosts()) > 1, "the nodes share the work"
    return f"{len(stage.hosts())} nodes at work"


def one_job_of_many_tasks(stage):
    template = stage.templates / "umf-job.sbatch"
    job = stage.submit("--nodes=2", "--ntasks-per-node=2", "--ntasks=4", "--cpus-per-task=1", template)
    stage.await_work_on("n1", "n2")
    stage.cluster.tell("scancel", "--signal=USR1", job)
    stage.await_restarts(job, 1)
    stage.await_end(job)
    assert stage.states(job) == ["COMPLETED"], stage.states(job)
    devices = {file.name for file in stage.run.logs.glob(f"umf-{job}-*.log")}
    assert len(devices) == 4, "a log for each worker"
    return "stopped and queued again"


def a_task_of_a_job_is_killed_and_time_is_up(stage):
    """What the killed one ends with stands above what the others do, who are to be started again."""
    template = stage.templates / "umf-job.sbatch"
    job = stage.submit("--nodes=2", "--ntasks-per-node=2", "--ntasks=4", "--cpus-per-task=1", template)
    stage.await_work_on("n1", "n2")
    stage.kill_a_worker_on("n2")
    stage.cluster.tell("scancel", "--signal=USR1", job)
    stage.await_restarts(job, 1)
    stage.await_end(job)
    assert stage.states(job) == ["COMPLETED"], stage.states(job)
    return "the others saved what they had, and all were queued again"


def a_task_of_a_job_is_killed_and_others_finish(stage):
    template = stage.templates / "umf-job.sbatch"
    job = stage.submit("--nodes=2", "--ntasks-per-node=2", "--ntasks=4", "--cpus-per-task=1", template)
    stage.await_work_on("n1", "n2")
    stage.kill_a_worker_on("n2")
    stage.await_end(job)
    assert stage.states(job) == ["COMPLETED"], stage.states(job)
    assert stage.restarts(job) == 0, "nothing was left to do"
    return "its work was taken over"


def all_tasks_of_a_job_are_killed_before_they_get_on(stage):
    """As where memory is too small for the models: it would be so each time."""
    shell = stage.run.logs / "killed"
    shell.write_text('#!/bin/bash\n[ "$1" = bench ] && kill -KILL $$\nexec "$PROGRAM" "$@"\n')
    shell.chmod(0o755)
    begun = start(*stage.run.bench.command(stage.run))
    await_that("the run directory", (stage.run.folder / "config.json").exists, DEADLINE)
    begun.send_signal(signal.SIGUSR1)
    assert begun.wait(timeout=DEADLINE) == 75
    words = [f"--export=ALL,UMF={shell},PROGRAM={stage.run.bench.umf}", "--ntasks=2", "--cpus-per-task=1"]
    job = stage.submit(*words, stage.templates / "umf-job.sbatch")
    stage.await_end(job)
    assert stage.states(job) == ["FAILED"], stage.states(job)
    assert stage.restarts(job) == 0
    stage.await_end(stage.array(2))
    return "it failed, and was not queued again"


def a_node_is_killed(stage):
    job = stage.array(4)
    stage.await_work_on("n2")
    stage.cluster.nodes["n2"].kill()
    stage.killed.add("n2")
    assert not stage.run.status()["complete"]
    stage.await_restarts(job, 1)
    stage.cluster.nodes["n2"].start()
    stage.await_end(job)
    return "its task was started anew elsewhere"


def a_node_is_frozen_and_comes_back(stage):
    job = stage.array(4, bench=["--wait"])
    stage.await_work_on("n2")
    node = stage.cluster.nodes["n2"]
    node.freeze()
    held = stage.run.at_work_on("n2")
    assert held, "it holds a job while it is frozen"
    stage.await_that("others take its job over", lambda: not set(held) & set(stage.run.at_work_on("n2")))
    time.sleep(HEARTBEAT)
    node.thaw()
    stage.killed.add("n2")  # by Slurm, where it gave the node up meanwhile
    stage.await_end(job)
    return f"others took {len(held)} of its jobs over"


def a_wire_is_cut_and_both_halves_go_on(stage):
    job = stage.array(4, bench=["--wait"])
    stage.await_work_on("n2")
    stage.cluster.nodes["n2"].cut()
    stage.killed.add("n2")
    before = stage.recorded_on("n2")
    # As an administrator does who sees it; Slurm itself takes 15 s.
    stage.cluster.tell("scontrol", "update", "nodename=n2", "state=down", "reason=silent")
    stage.await_that("the half that is cut off records more", lambda: stage.recorded_on("n2") > before)
    stage.await_restarts(job, 1)
    await_that("the other half's start", lambda: ", start 2," in stage.run.log(), DEADLINE)
    stage.cluster.nodes["n2"].mend()
    stage.cluster.tell("scontrol", "update", "nodename=n2", "state=resume")
    stage.await_end(job)
    return "its task was started anew while it went on"


def jobs_of_more_weight_come(stage):
    job = stage.array(4, "--partition=low")
    stage.await_work_on("n1", "n2")
    urgent = stage.cluster.submit(
        "--partition=high", "--nodes=2", "--exclusive", "--output=/dev/null", "--wrap=sleep 3", folder=stage.run.logs
    )
    await_that("the urgent job", lambda: stage.states(urgent) == ["RUNNING"], DEADLINE)
    stage.await_end(urgent, job)
    restarts = stage.restarts(job)
    assert restarts >= 1, "nobody made room"
    return f"{restarts} tasks made room and went on"


def time_is_up_every_few_seconds(stage):
    # Slurm itself looks at limits every 30 s; between, the same signal comes from here: as soon as something is saved,
    # because what comes more often than that leaves no time to get on.
    job = stage.array(2, "--time=1", "--signal=USR1@50")
    for _ in range(4):
        before = stage.run.progress()
        await_that("progress", lambda: stage.run.progress() > before or stage.has_ended(job), DEADLINE)
        stage.cluster.tell("scancel", "--signal=USR1", "--state=RUNNING", job)
    stage.await_end(job)
    restarts = stage.restarts(job)
    assert restarts >= 3, f"{restarts} restarts are few"
    return f"{restarts} restarts"


def a_disk_is_full_on_one_node(stage):
    """The scratch disk of n2, where its log is, too; and for n3 what the shared disk has for its results."""
    cluster, run = stage.cluster, stage.run
    own_node = ["--ntasks=1", "--cpus-per-task=2"]
    script = run.logs / "local-log.sbatch"
    script.write_text(LOCAL_LOG % (cluster.folder / SCRATCH))
    cluster.nodes["n2"].fill(cluster.folder / SCRATCH)
    first = stage.submit("--nodelist=n1", *own_node, "--output=n1.log", script, bench=["--wait"])
    place = run.folder / "results"
    stage.await_that("the folder of results", place.is_dir)
    cluster.nodes["n3"].run("mount", "-t", "tmpfs", "-o", "size=4k", "tmpfs", place)
    cluster.nodes["n3"].fill(place, 4096)
    second = stage.submit("--nodelist=n2", *own_node, "--output=n2.log", script, bench=["--wait"])
    third = stage.array(1, "--nodelist=n3")
    stage.await_end(first, second, third)
    assert stage.states(first) == ["COMPLETED"], stage.states(first)
    assert stage.recorded_on("n2") > 0, "a full scratch disk stops nobody"
    assert stage.states(third) == ["FAILED"], stage.states(third)
    assert "No space left on device" in run.log(), run.log()
    assert stage.recorded_on("n3") == 0
    return f"n2 recorded {stage.recorded_on('n2')} results, n3 said what was wrong and left"


DISTURBANCES = [
    an_array_over_four_nodes,
    one_job_of_many_tasks,
    a_task_of_a_job_is_killed_and_time_is_up,
    a_task_of_a_job_is_killed_and_others_finish,
    all_tasks_of_a_job_are_killed_before_they_get_on,
    a_node_is_killed,
    a_node_is_frozen_and_comes_back,
    a_wire_is_cut_and_both_halves_go_on,
    jobs_of_more_weight_come,
    time_is_up_every_few_seconds,
    a_disk_is_full_on_one_node,
]


def disturb(cluster, source, bench, disturbance, number):
    """Whether the run came through."""
    name = disturbance.__name__.replace("_", " ")
    run = Run(bench, f"{disturbance.__name__}-{number}")
    start = time.monotonic()
    try:
        stage = Stage(cluster, source, run)
        what_happened = disturbance(stage)
        check(run, stage.killed)
        seconds = time.monotonic() - start
        print(f"ok      {name}: {what_happened} ({seconds:.0f} s)", flush=True)
        return True
    except Exception:
        traceback.print_exc()
        print(cluster.ask("squeue"), cluster.ask("sinfo", "--Node"), run.log()[-4000:], sep="\n")
        print(f"FAILED  {name}; logs in {run.logs}", flush=True)
        return False
    finally:
        cluster.restore()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("umf", type=pathlib.Path)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--only", action="append", default=[], help="a disturbance; may repeat")
    options = parser.parse_args()
    try:
        prepare()
    except Unavailable as reason:
        print(f"skipped: {reason}")
        return 77
    shutil.rmtree(options.folder, ignore_errors=True)
    options.folder.mkdir(parents=True)
    os.environ["UMF"] = str(options.umf.resolve())
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # through every `with`
    source = options.source.resolve()
    bench = Bench(options.umf, source / "assets/problems/dev.jsonl", options.folder.resolve(), PROBLEMS)
    chosen = [one for one in DISTURBANCES if not options.only or one.__name__ in options.only]
    with Cluster() as cluster:
        rounds = [(one, number) for number in range(options.rounds) for one in chosen]
        came_through = [disturb(cluster, source, bench, one, number) for one, number in rounds]
    print(f"{sum(came_through)} of {len(came_through)} came through")
    return 0 if all(came_through) else 1


if __name__ == "__main__":
    sys.exit(main())
