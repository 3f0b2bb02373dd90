"""Rewards in Python: on the caller's thread, raising, blocking, nested and interrupted."""

import _thread
import os
import resource
import signal
import subprocess
import sys
import threading
import time
import unittest

import fixture
import umf


class Solve(unittest.TestCase):
    def test_a_reward_is_asked_on_the_callers_thread_once_for_each_text(self):
        threads, texts = set(), []

        def reward(answer):
            threads.add(threading.get_ident())
            texts.append(answer)
            return fixture.length_reward(answer), "because"

        found = umf.solve("Say something.", models=fixture.TINY, reward=reward, **fixture.SMALL)
        self.assertEqual(threads, {threading.get_ident()})
        self.assertEqual(len(texts), len(set(texts)))
        self.assertEqual(found.reward, max(map(fixture.length_reward, texts)))
        self.assertIn(found.answer, texts)
        self.assertEqual(found.why, "because")
        self.assertEqual((found.nfe, found.stopped), (64, "budget"))

    def test_a_reward_gets_the_whole_text_whatever_is_in_it(self):
        texts, events = [], []

        def reward(answer):
            texts.append(answer)
            return fixture.length_reward(answer)

        umf.solve("Say something.", models=fixture.TINY[0], search="best-of-n", action=["temperature=2"], seed=4,
                  reward=reward, on_rollout=events.append, **fixture.SMALL)
        written = [event["text"] for event in events]
        self.assertTrue(any("\0" in text for text in written), "no model wrote a zero byte; take another seed")
        self.assertEqual([text.replace("\0", "\ufffd") for text in written], texts)

    def test_what_a_reward_raises_arrives(self):
        class Mine(Exception):
            pass

        raised = Mine("of my own")

        def reward(_):
            raise raised

        with self.assertRaises(Mine) as caught:
            umf.solve("Say something.", models=fixture.TINY, reward=reward, **fixture.SMALL)
        self.assertIs(caught.exception, raised)
        # And the engine is as good as before.
        umf.solve("Say something.", models=fixture.TINY, reward=fixture.length_reward, **fixture.SMALL)

    def test_a_reward_of_the_wrong_kind_is_an_error(self):
        with self.assertRaises(TypeError):
            umf.solve("Say something.", models=fixture.TINY, reward=lambda _: [], **fixture.SMALL)

    def test_a_reward_that_never_judges_ends_the_search_with_an_error(self):
        with self.assertRaisesRegex(umf.Error, "the judge failed 3 times"):
            umf.solve("Say something.", models=fixture.TINY, reward=lambda _: (None, "no idea"), **fixture.SMALL)

    def test_a_reward_that_blocks_holds_up_its_own_search_alone(self):
        release = threading.Event()
        results = []

        def slow(answer):
            release.wait()
            return fixture.length_reward(answer)

        def search():
            results.append(umf.solve("Say something.", models=fixture.TINY, reward=slow, **fixture.SMALL))

        waiting = threading.Thread(target=search)
        waiting.start()
        quick = umf.solve("Say something.", models=fixture.TINY, reward=fixture.length_reward, **fixture.SMALL)
        self.assertTrue(waiting.is_alive())
        release.set()
        waiting.join()
        self.assertEqual(fixture.without_times(results[0].raw), fixture.without_times(quick.raw))

    def test_two_searches_at_once_ask_two_threads(self):
        both = threading.Barrier(2, timeout=60)
        asked = {}

        def search(number):
            met = []

            def reward(answer):
                asked.setdefault(number, set()).add(threading.get_ident())
                if not met:
                    met.append(both.wait())  # both are judging now
                return fixture.length_reward(answer)

            umf.solve("Say something.", models=fixture.TINY, reward=reward, **fixture.SMALL)

        threads = [threading.Thread(target=search, args=(number,)) for number in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(asked), 2)
        self.assertTrue(asked[0].isdisjoint(asked[1]))

    def test_a_reward_may_use_the_library(self):
        model = umf.load(fixture.TINY[0])

        def reward(answer):
            inner = umf.solve("Say more.", models=model, reward=fixture.length_reward, window=8, budget=8)
            return (len(model.encode(answer)) + len(inner.answer)) % 10 / 10

        umf.solve("Say something.", models=model, reward=reward, window=8, budget=16)

    def test_rollouts_and_progress_are_told_and_may_stop_the_search(self):
        events, looks = [], []
        umf.solve("Say something.", models=fixture.TINY, reward=fixture.length_reward, on_rollout=events.append,
                  on_progress=lambda done, total: looks.append((done, total)), **fixture.SMALL)
        self.assertEqual([event["iteration"] for event in events], list(range(1, len(events) + 1)))
        self.assertIn("text", events[0])
        found = umf.solve("Say something.", models=fixture.TINY, reward=fixture.length_reward,
                          on_rollout=lambda _: False, **fixture.SMALL)
        self.assertEqual(found.stopped, "interrupted")
        self.assertEqual(found.raw["search"]["rollouts"], 1)
        self.assertTrue(all(done <= total == 64 for done, total in looks))

    def test_what_an_observer_raises_arrives(self):
        with self.assertRaises(ZeroDivisionError):
            umf.solve("Say something.", models=fixture.TINY, reward=fixture.length_reward,
                      on_rollout=lambda event: 1 / 0, **fixture.SMALL)

    def test_wrong_requests_are_errors_that_name_the_key(self):
        with self.assertRaisesRegex(umf.Error, "unknown option --bugdet. Did you mean --budget"):
            umf.solve("Say something.", models=fixture.TINY, reward=fixture.length_reward, bugdet=7)
        with self.assertRaisesRegex(umf.Error, "Did you mean unmaskfork"):
            umf.solve("Say something.", models=fixture.TINY, reward=fixture.length_reward, search="unmaskfrok")
        with self.assertRaisesRegex(TypeError, "needs a reward"):
            umf.solve("Say something.")
        with self.assertRaisesRegex(umf.Error, "hf download no/where"):
            umf.load("no/where")

    def test_a_checkpoint_is_continued(self):
        import tempfile

        calls = []

        def reward(answer):
            calls.append(answer)
            return fixture.length_reward(answer)

        with tempfile.TemporaryDirectory() as folder:
            options = {"models": fixture.TINY, "checkpoint": folder + "/checkpoint", **fixture.SMALL}
            whole = umf.solve("Say something.", reward=fixture.length_reward, models=fixture.TINY, **fixture.SMALL)
            umf.solve("Say something.", reward=reward, on_rollout=lambda event: event["iteration"] < 2, **options)
            before = len(calls)
            rest = umf.solve("Say something.", reward=reward, **options)
            self.assertEqual(rest.answer, whole.answer)
            self.assertEqual(len(calls), len(set(calls)))
            self.assertGreater(len(calls), before)

    def test_workers_change_nothing(self):
        alone = umf.solve("Say something.", models=fixture.TINY, reward=fixture.length_reward, **fixture.SMALL)
        several = umf.solve("Say something.", models=fixture.TINY, reward=fixture.length_reward,
                            engine=umf.Engine(workers=3), **fixture.SMALL)
        self.assertEqual(fixture.without_times(alone.raw), fixture.without_times(several.raw))

    def test_devices_change_nothing(self):
        alone = umf.solve("Say something.", models=fixture.TINY, reward=fixture.length_reward,
                          engine=umf.Engine(backend="cpu", device=0), **fixture.SMALL)
        for machine in ({"devices": [0, 0]}, {"devices": "all"}, {"devices": "0,0", "workers": 1}):
            several = umf.solve("Say something.", models=fixture.TINY, reward=fixture.length_reward,
                                engine=umf.Engine(backend="cpu", **machine), **fixture.SMALL)
            self.assertEqual(fixture.without_times(alone.raw), fixture.without_times(several.raw))
        with self.assertRaisesRegex(umf.Error, "has no device 5 here; it has 0"):
            umf.Engine(backend="cpu", device=5)


INTERRUPTED = """
import sys, threading, time, umf
def reward(answer):
    if "{where}" == "reward":
        print("judging", flush=True)
        time.sleep(60)
    return 0.5
try:
    print("{where}" == "search" and "judging", flush=True)
    umf.solve("Say something.", models={models!r}, reward=reward, window=256, budget=10**8, stop_at_reward="never",
              no_cache=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
umf.solve("Say something.", models={models!r}, reward=lambda answer: 1, window=8)
print("again", flush=True)
"""


class Interrupts(unittest.TestCase):
    def interrupt(self, where):
        script = INTERRUPTED.format(where=where, models=fixture.TINY)
        child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while child.stdout.readline().strip() != "judging":
            pass
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
        sent = time.monotonic()
        out, err = child.communicate(timeout=60)
        self.assertEqual((out.split(), err, child.returncode), (["interrupted", "again"], "", 0))
        self.assertLess(time.monotonic() - sent, 20)

    def test_ctrl_c_ends_a_reward(self):
        self.interrupt("reward")

    def test_ctrl_c_ends_a_search(self):
        self.interrupt("search")

    def test_ctrl_c_is_not_swallowed_by_a_reward_that_catches_everything(self):
        def reward(_):
            try:
                signal.raise_signal(signal.SIGINT)
            except:  # pylint: disable=bare-except
                pass
            return 0.5

        with self.assertRaises(KeyboardInterrupt):
            umf.solve("Say something.", models=fixture.TINY, reward=reward, **fixture.SMALL)

    def test_ctrl_c_is_pythons_own_again_afterwards(self):
        umf.solve("Say something.", models=fixture.TINY, reward=fixture.length_reward, **fixture.SMALL)
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)
        with self.assertRaises(KeyboardInterrupt):
            _thread.interrupt_main()
            time.sleep(5)


class OtherSignals(unittest.TestCase):
    """Handlers of the user's own, as those of alarms and of test runners."""

    def handle(self, handler):
        self.addCleanup(signal.signal, signal.SIGALRM, signal.signal(signal.SIGALRM, handler))

    def test_what_a_handler_raises_during_a_search_arrives(self):
        class TimeUp(Exception):
            pass

        def handler(number, frame):
            raise TimeUp

        self.handle(handler)
        with self.assertRaises(TimeUp):
            signal.setitimer(signal.ITIMER_REAL, 0.3)
            umf.solve("Say something.", models=fixture.TINY, reward=lambda _: 0.5, window=256, budget=10**8,
                      stop_at_reward="never", no_cache=True)
        self.assertIs(signal.getsignal(signal.SIGALRM), handler)

    def test_a_reward_may_catch_what_its_own_alarm_raises(self):
        def handler(number, frame):
            raise TimeoutError

        def reward(answer):
            try:
                signal.raise_signal(signal.SIGALRM)
            except TimeoutError:
                return fixture.length_reward(answer)
            return None

        self.handle(handler)
        found = umf.solve("Say something.", models=fixture.TINY, reward=reward, **fixture.SMALL)
        self.assertEqual(found.stopped, "budget")

    def test_a_handler_that_raises_nothing_changes_nothing(self):
        heard = []
        self.handle(lambda number, frame: heard.append(number))

        def reward(answer):
            signal.raise_signal(signal.SIGALRM)
            return fixture.length_reward(answer)

        found = umf.solve("Say something.", models=fixture.TINY, reward=reward, **fixture.SMALL)
        self.assertEqual(found.stopped, "budget")
        self.assertTrue(heard)


class Memory(unittest.TestCase):
    def test_a_thousand_solves_leave_nothing_behind(self):
        def resident():
            with open("/proc/self/statm", encoding="ascii") as file:
                return int(file.read().split()[1]) * resource.getpagesize()

        def open_files_and_threads():
            return len(os.listdir("/proc/self/fd")), threading.active_count(), len(os.listdir("/proc/self/task"))

        model = umf.load(fixture.TINY[0])

        def solve(number):
            def reward(answer):
                if number % 10 == 0:
                    raise ValueError
                return fixture.length_reward(answer)

            try:
                umf.solve(f"Say {number}.", models=model, reward=reward, window=8, budget=24, on_rollout=lambda event: None)
            except ValueError:
                pass

        for number in range(200):
            solve(number)
        before, things = resident(), open_files_and_threads()
        for number in range(1000):
            solve(number)
        self.assertEqual(open_files_and_threads(), things)
        # A leak of a window, a prompt or a callback per solve would be a megabyte and more.
        self.assertLess(resident() - before, 1 << 20)


if __name__ == "__main__":
    unittest.main()
