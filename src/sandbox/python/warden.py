"""The warden: pid 1 of a job. It makes the cell, then locks itself in and runs the tester (or waits for a command)."""

import gc
import importlib
import json
import os
import resource
import signal
import socket
import struct
import sys
import traceback

from umf import candidate, cell, channel, linux, watcher

HELLO, READY, REPORT, DONE, FAILED, OUT_OF_MEMORY, KILLED = b"h", b"r", b"l", b"d", b"x", b"m", b"k"
_HEADER_BYTES = 1 << 30


class World:
    """What all jobs share."""

    def __init__(self, setup, proc):
        self.proc = proc
        self.namespaces = setup["namespaces"]
        self.environment = setup["environment"]
        self.filters = {name: linux.Filter(program) for name, program in setup["filters"].items()}


def main(world, descriptors):
    """In a fresh fork of the zygote; does not return."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    # Signals to a process group do not stop at namespaces, so every job has a session of its own.
    os.setsid()
    lead_nowhere()
    if not world.namespaces:
        linux.die_with_parent(signal.SIGKILL)
    umf = socket.socket(fileno=descriptors[0])
    try:
        channel.send(umf, HELLO)
        base_memory = int(channel.receive(umf, 64)[1])
        header = json.loads(channel.receive(umf, _HEADER_BYTES)[1])
        header["limits"]["base_memory"] = base_memory
        if header["kind"] == "python":
            run_tester(world, umf, header)
        else:
            run_command(world, umf, header, descriptors[1:])
    except MemoryError:
        channel.send(umf, OUT_OF_MEMORY)
    except candidate.Killed as problem:
        channel.send(umf, KILLED, str(problem).encode())
    except BaseException:
        channel.send(umf, FAILED, traceback.format_exc()[-4000:].encode("utf-8", "replace"))
    finally:
        os._exit(0)


def lead_nowhere():
    """The zygote's streams are shared by all jobs; tests are a stranger's code and must not write there."""
    nowhere = os.open("/dev/null", os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    os.close(nowhere)


def start_cell(world, umf, header, work):
    """Forks the cell and returns (its pid, the link to it) once it is inside."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    if world.namespaces:
        linux.unshare(linux.CLONE_NEWPID)
    pid = os.fork()
    if pid == 0:
        try:
            umf.close()
            ours.close()
            inside = cell.Cell(world, header, theirs)
            inside.enter()
            theirs.send(b"ok")
            work(inside)
            os._exit(cell.DISTURBED if inside.disturbances.came() else 0)
        except BaseException:
            theirs.send(b"!" + traceback.format_exc()[-3000:].encode("utf-8", "replace"))
        finally:
            os._exit(0)
    theirs.close()
    answer = ours.recv(4096)
    if answer != b"ok":
        raise candidate.CellGone("the cell could not be set up: " + answer[1:].decode("utf-8", "replace"))
    return pid, ours


def lock_in(world, header):
    """The tester is ours, but it handles what untrusted programs send."""
    os.close(world.proc)
    linux.become(header["users"]["tester"])
    linux.drop_capabilities()
    if not world.namespaces:
        linux.die_with_parent(signal.SIGKILL)
    memory = header["limits"]["base_memory"] + header["limits"]["memory"]
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    linux.set_dumpable(False)
    world.filters["tester"].install()


def tell_done(umf, pid, more):
    _, status, usage = os.wait4(pid, 0)
    if os.waitstatus_to_exitcode(status) == cell.DISTURBED:
        raise candidate.CellGone("a signal came from outside, and nothing that was seen can be believed")
    own = resource.getrusage(resource.RUSAGE_SELF)
    cpu = usage.ru_utime + usage.ru_stime + own.ru_utime + own.ru_stime
    result = {"cpu_seconds": cpu, "peak_bytes": max(usage.ru_maxrss, own.ru_maxrss) * 1024, **more}
    channel.send(umf, DONE, json.dumps(result).encode())


def run_tester(world, umf, header):
    pid, link = start_cell(world, umf, header, lambda inside: inside.serve())
    lock_in(world, header)
    channel.send(umf, READY)
    gc.enable()
    payload = read_payload(umf)
    tester = importlib.import_module(f"umf.{header['tester']}")
    cells = candidate.Cell(link, header["believe_signals"], watcher.Watcher(umf))

    def start(guest, seconds=4.0, **options):
        return candidate.Candidate(cells, guest, seconds, options)

    def report(line):
        # Texts of programs may hold halves of characters, which no JSON of ours may.
        channel.send(umf, REPORT, json.dumps(line, ensure_ascii=False).encode("utf-8", "replace") + b"\n")

    tester.run(payload, start, report)
    link.close()
    tell_done(umf, pid, {})


def read_payload(umf):
    text = channel.receive(umf, _HEADER_BYTES)[1]
    digits = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)  # the payload is ours; candidates' answers are read with the limit
    try:
        return json.loads(text)
    finally:
        sys.set_int_max_str_digits(digits)


def run_command(world, umf, header, streams):
    files = {}
    for path in header["files"]:
        files[path] = channel.receive(umf, _HEADER_BYTES)[1]

    def work(inside):
        status = inside.run_command(header["argv"], files, streams)
        inside.link.send(struct.pack("<i", status))

    pid, link = start_cell(world, umf, header, work)
    for stream in streams:
        os.close(stream)
    lock_in(world, header)
    channel.send(umf, READY)
    answer = link.recv(4096)
    if len(answer) != 4:
        raise candidate.CellGone(answer[1:].decode("utf-8", "replace") or "the cell ended early")
    (status,) = struct.unpack("<i", answer)
    if not header["believe_signals"]:
        candidate.doubt(status)
    tell_done(umf, pid, {"status": status})
