"""A small Slurm of our own: a controller and nodes on this one machine, for as long as this process lives.

A node is a set of namespaces: it has a name, a process table and a scratch disk of its own, as a machine has. Whoever
looks from one node at another sees no processes, so that life and death are told by the run directory alone, and
pulling a node's plug is killing one process. Nodes share the clock and, but for the scratch disk, all files. Everything
listens on loopback alone. Needs root, for the namespaces.
"""

import contextlib
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time

SCRATCH = "scratch"  # in the cluster's folder: another disk on every node
SCRATCH_BYTES = 1 << 20

# What must be there, and the Debian packages that have it.
PROGRAMS = ["munged", "slurmctld", "slurmd", "sbatch", "srun", "unshare", "nsenter", "setpriv"]
PACKAGES = ["munge", "slurmctld", "slurmd", "slurm-client", "util-linux"]

# %(...)s are filled in. Everything is meant to happen soon: a silent node is given up after about 15 s, SIGKILL comes
# 3 s after SIGTERM, and a requeued job waits 5 s until its credential has expired instead of the usual 120.
CONFIGURATION = """
ClusterName=umf
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=%(port)d
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=%(folder)s/munge/socket,cred_expire=5
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
StateSaveLocation=%(folder)s/state
SlurmctldPidFile=%(folder)s/slurmctld.pid
SlurmctldLogFile=%(folder)s/slurmctld.log
SlurmdPidFile=%(folder)s/%%n.pid
SlurmdLogFile=%(folder)s/%%n.log
SlurmdSpoolDir=%(folder)s/spool-%%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
SlurmdTimeout=8
KillWait=3
UnkillableStepTimeout=10
MessageTimeout=5
BatchStartTimeout=10
ReturnToService=1
MinJobAge=600
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,sched_min_interval=100000,bf_interval=1,batch_sched_delay=0
JobRequeue=1
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
GresTypes=gpu
NodeName=n[1-%(nodes)d] NodeHostname=localhost NodeAddr=127.0.0.1 Port=[%(first)d-%(last)d] CPUs=%(cpus)d \\
  RealMemory=1024 Gres=gpu:%(gpus)d
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP PriorityTier=5 PreemptMode=OFF
PartitionName=low Nodes=ALL MaxTime=INFINITE State=UP PriorityTier=1 PreemptMode=REQUEUE GraceTime=20
PartitionName=high Nodes=ALL MaxTime=INFINITE State=UP PriorityTier=10 PreemptMode=OFF
"""

# The first process of a node: it begins slurmd again whenever that ends, and waits for whoever lost his parent.
INIT = """
hostname "$1"
mount --bind "$2/hosts" /etc/hosts
mount -t tmpfs -o size=%d tmpfs "$2/%s"
while :; do slurmd -D -N "$1" -f "$2/slurm.conf"; sleep 0.1; done
""" % (SCRATCH_BYTES, SCRATCH)


class Unavailable(Exception):
    """Why there can be no cluster here."""


def await_that(what, condition, seconds=60):
    """The first true value of the condition. An AssertionError where it does not come in time."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {seconds} s in vain: {what}")
        time.sleep(0.1)


def free_ports(count):
    """The first of so many ports in a row that nobody has, below those that the kernel hands out."""
    for _ in range(1000):
        first = random.randrange(20000, 31000)
        with contextlib.ExitStack() as stack:
            try:
                for port in range(first, first + count):
                    stack.enter_context(socket.socket()).bind(("127.0.0.1", port))
            except OSError:
                continue
            return first
    raise Unavailable("found no free ports on loopback")


def listens(port):
    with socket.socket() as caller:
        return caller.connect_ex(("127.0.0.1", port)) == 0


def start(*command, **options):
    """A process that ends with this one, however this one ends."""
    return subprocess.Popen(
        ["setpriv", "--pdeathsig", "KILL", *command], stdin=subprocess.DEVNULL, start_new_session=True, **options
    )


def family(process):
    """A process and all that came from it."""
    yield process
    for children in pathlib.Path(f"/proc/{process}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in children.read_text().split():
                yield from family(int(child))


def name_of(process):
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{process}/comm").read_text().strip()
    return ""


def parent_of(process):
    with contextlib.suppress(OSError):
        return int(pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    return 0


class Node:
    def __init__(self, cluster, name, port):
        self.cluster, self.name, self.port = cluster, name, port
        self.start()

    def start(self):
        """Switches it on. Its scratch disk is empty."""
        spaces = ["unshare", "--pid", "--fork", "--kill-child=KILL", "--mount-proc", "--uts", "--mount"]
        folder = self.cluster.folder
        with open(folder / f"{self.name}.out", "ab") as out:
            self.process = start(*spaces, "bash", "-c", INIT, "init", self.name, str(folder), stdout=out, stderr=out)

    def init(self):
        children = list(family(self.process.pid))[1:]
        return children[0] if children else None

    def slurmd(self):
        return next((process for process in family(self.process.pid) if name_of(process) == "slurmd"), None)

    def tasks(self):
        """What runs for Slurm's steps: the first process of each task."""
        return [process for process in family(self.init()) if name_of(parent_of(process)) == "slurmstepd"]

    def kill(self):
        """Pulls its plug."""
        self.process.kill()
        self.process.wait()

    def freeze(self):
        """Everything on it stands still. Twice, so that nobody is missed who was being born."""
        for _ in range(2):
            self.signal_all(signal.SIGSTOP)

    def thaw(self):
        self.signal_all(signal.SIGCONT)

    def signal_all(self, number):
        for process in list(family(self.init())):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, number)

    def cut(self):
        """Cuts its wire to the controller; what it runs goes on."""
        os.kill(self.slurmd(), signal.SIGSTOP)

    def mend(self):
        """A new slurmd makes itself known; an old one would wait to be asked."""
        os.kill(self.slurmd(), signal.SIGKILL)

    def run(self, *command):
        """Runs something with this node's disks, and says whether it went well."""
        return subprocess.run(["nsenter", f"--target={self.init()}", "--mount", *command], check=False).returncode == 0

    def fill(self, place, size=SCRATCH_BYTES):
        """Leaves no room on a small disk of this node's. Throws where there is none: the machine's own is not small."""
        assert self.run("mountpoint", "--quiet", place), f"{place} is no disk of its own on {self.name}"
        self.run("sh", "-c", f"head -c {2 * size} /dev/zero >{place}/full 2>/dev/null")


class Cluster:
    """Use it in a `with`: behind it, no process of it is left."""

    def __init__(self, nodes=4, cpus=2, gpus=2):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="umf-slurm-"))
        self.sizes = {"nodes": nodes, "cpus": cpus, "gpus": gpus}
        self.daemons, self.nodes = [], {}
        self.environment = dict(os.environ, SLURM_CONF=str(self.folder / "slurm.conf"))

    def __enter__(self):
        try:
            self.configure()
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def configure(self):
        for name in ("state", "gpu", "munge", SCRATCH):
            (self.folder / name).mkdir()
        (self.folder / "munge").chmod(0o700)
        key = self.folder / "munge" / "key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        port = self.first_port = free_ports(self.sizes["nodes"] + 1)
        ports = {"port": port, "first": port + 1, "last": port + self.sizes["nodes"]}
        (self.folder / "slurm.conf").write_text(CONFIGURATION % {"folder": self.folder, **self.sizes, **ports})
        # A GPU's file must be a device.
        for number in range(self.sizes["gpus"]):
            (self.folder / "gpu" / str(number)).symlink_to("/dev/null")
        devices = f"NodeName=n[1-{self.sizes['nodes']}] Name=gpu File={self.folder}/gpu/[0-{self.sizes['gpus'] - 1}]\n"
        (self.folder / "gres.conf").write_text(devices)
        names = " ".join(f"n{number + 1}" for number in range(self.sizes["nodes"]))
        (self.folder / "hosts").write_text(f"127.0.0.1 localhost controller {names}\n")

    def start(self):
        munge = self.folder / "munge"
        files = [f"--{name}-file={munge / name}" for name in ("key", "pid", "log", "seed")]
        with open(munge / "out", "wb") as out:
            self.daemons.append(
                start("munged", "--foreground", "--force", f"--socket={munge}/socket", *files, stdout=out, stderr=out)
            )
        await_that("munged's socket", (munge / "socket").exists)
        # The controller has a name that means loopback, too.
        controller = 'hostname controller; mount --bind "$1/hosts" /etc/hosts; exec slurmctld -D -i -f "$1/slurm.conf"'
        with open(self.folder / "slurmctld.out", "wb") as out:
            command = ["unshare", "--uts", "--mount", "sh", "-c", controller, "sh", str(self.folder)]
            self.daemons.append(start(*command, stdout=out, stderr=out))
        for number in range(self.sizes["nodes"]):
            name = f"n{number + 1}"
            self.nodes[name] = Node(self, name, self.first_port + 1 + number)
        self.await_idle()

    def await_idle(self):
        """All nodes are up and have nothing to do. (The controller may not have noticed that one was down.)"""
        await_that("all nodes listen", lambda: all(listens(node.port) for node in self.nodes.values()), 90)
        await_that("all nodes are idle", lambda: set(self.states().values()) == {"idle"}, 90)

    def states(self):
        lines = self.ask("sinfo", "--noheader", "--Node", "--partition=main", "--format=%N %T").split("\n")
        return dict(line.split() for line in lines if line)

    def tell(self, *command):
        """Whether a command of Slurm's went well."""
        return self.attempt(command).returncode == 0

    def ask(self, *command):
        """What a command of Slurm's prints. A controller that is busy may not answer at once."""
        done = await_that(" ".join(command), lambda: (done := self.attempt(command)).returncode == 0 and done)
        return done.stdout

    def attempt(self, command):
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False)

    def submit(self, *words, folder):
        """The number of a new job."""
        command = ["sbatch", "--parsable", *map(str, words)]
        done = subprocess.run(command, env=self.environment, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise AssertionError(f"sbatch: {done.stderr}")
        return done.stdout.strip()

    def jobs(self, job):
        """State and node of each task that is still waiting or running."""
        lines = self.ask("squeue", "--noheader", "--array", f"--jobs={job}", "--format=%i %T %N").split("\n")
        return {line.split()[0]: line.split()[1:] for line in lines if line}

    def facts(self, job):
        """What the controller knows of each task, finished ones included."""
        lines = self.ask("scontrol", "--oneliner", "show", "job", job).split("\n")
        return [dict(word.split("=", 1) for word in line.split() if "=" in word) for line in lines if line.strip()]

    def release(self):
        """Slurm holds what it could not start on a node that came back with processes of an earlier start."""
        for line in self.ask("squeue", "--noheader", "--array", "--states=PENDING", "--format=%i %r").split("\n"):
            if "held" in line:
                self.tell("scontrol", "release", line.split()[0])

    def await_end(self, *jobs, seconds):
        def ended():
            self.release()
            return all(self.facts(job) and not self.jobs(job) for job in jobs)

        await_that(f"the end of {jobs}", ended, seconds)

    def restore(self):
        """After a test: nothing runs, and every node is there again, with an empty scratch disk."""
        self.tell("scancel", "--quiet", "--state=PENDING", "--user=root")
        self.tell("scancel", "--quiet", "--user=root")
        for node in self.nodes.values():
            node.kill()
            node.start()
        self.tell("scontrol", "update", "nodename=ALL", "state=resume")
        self.await_idle()

    def stop(self):
        for node in self.nodes.values():
            node.kill()
        for daemon in self.daemons:
            daemon.kill()
            daemon.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def missing_programs():
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    return [program for program in PROGRAMS if not shutil.which(program, path=path)]


@contextlib.contextmanager
def no_services():
    """Debian starts what it installs, unless this file is there and forbids it."""
    policy = pathlib.Path("/usr/sbin/policy-rc.d")
    if policy.exists():
        yield
        return
    policy.write_text("#!/bin/sh\nexit 101\n")
    policy.chmod(0o755)
    try:
        yield
    finally:
        policy.unlink()


def install():
    if not shutil.which("apt-get"):
        raise Unavailable(f"there is no Slurm here, and no apt-get to install {' '.join(PACKAGES)}")
    print("installing", *PACKAGES, flush=True)
    quietly = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    packages = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *PACKAGES]
    for command in (["apt-get", "update", "-qq"], packages):
        with no_services():
            done = subprocess.run(command, env=quietly, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Unavailable(f"Slurm cannot be installed: {done.stderr.strip()[-300:]}")
    if missing_programs():
        raise Unavailable(f"these are still missing: {' '.join(missing_programs())}")


def prepare():
    """Installs Slurm where it is missing and can be had. Throws Unavailable."""
    os.environ["PATH"] = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    if os.geteuid() != 0:
        raise Unavailable("nodes are namespaces, and only root makes them")
    if missing_programs():
        install()
    spaces = ["unshare", "--pid", "--fork", "--uts", "--mount", "true"]
    if subprocess.run(spaces, capture_output=True, check=False).returncode != 0:
        raise Unavailable("this machine does not let root make namespaces")
