"""Ask and tell over a world of one's own."""

import threading
import unittest

import umf


def walk(state, action, steps):
    return [state + action * count for count in range(1, steps + 1)]


def worth(state):
    return sum(map(ord, state)) * 2654435761 % 101 / 101


def run(at_once, tell_backwards=False, **options):
    with umf.Search(actions=["a", "b", "c"], steps=5, **options) as search:
        while trials := search.ask_batch(at_once):
            for trial in reversed(trials) if tell_backwards else trials:
                states = walk(trial.state, trial.action, trial.steps)
                search.tell(trial, states, worth(states[-1]))
        return search.best, search.facts


class Search(unittest.TestCase):
    def test_finds_the_best_of_what_it_was_told(self):
        best, facts = run(1, budget=100)
        self.assertEqual(best.reward, worth(best.states[-1]))
        self.assertEqual("".join(best.actions), best.states[-1])
        self.assertTrue(facts["ended"])
        self.assertGreaterEqual(facts["nfe"], 100)

    def test_goes_through_everything_without_a_budget(self):
        with umf.Search(actions=["a", "b"], steps=3, expand_last_level=True) as search:
            seen = set()
            while trial := search.ask():
                states = walk(trial.state, trial.action, trial.steps)
                seen.add(states[-1])
                search.tell(trial, states, worth(states[-1]))
            self.assertEqual(len(seen), 8)
            self.assertEqual(search.facts["stopped"], "exhausted")

    def test_batches_and_the_order_of_telling_change_nothing(self):
        alone = run(1, budget=100)
        for at_once in (2, 8):
            self.assertEqual(run(at_once, budget=100), alone)
            self.assertEqual(run(at_once, tell_backwards=True, budget=100), alone)

    def test_threads_may_share_the_trials(self):
        alone = run(1, budget=100)
        with umf.Search(actions=["a", "b", "c"], steps=5, budget=100) as search:
            lock, running = threading.Lock(), set()

            def work():
                while True:
                    with lock:
                        trials = search.ask_batch(4)
                        if not trials:
                            return
                        free = [trial for trial in trials if trial not in running]
                        running.update(free[:1])
                    for trial in free[:1]:
                        states = walk(trial.state, trial.action, trial.steps)
                        search.tell(trial, states, worth(states[-1]))
                        with lock:
                            running.discard(trial)

            threads = [threading.Thread(target=work) for _ in range(3)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual((search.best, search.facts), alone)

    def test_stops_at_a_reward(self):
        best, facts = run(1, stop_at_reward=0.5)
        self.assertEqual(facts["stopped"], "reward")
        self.assertGreaterEqual(best.reward, 0.5)

    def test_an_action_that_cannot_be_applied_and_an_end_that_cannot_be_judged(self):
        with umf.Search(actions=["a", "b"], steps=2) as search:
            while trial := search.ask():
                if trial.action == "a":
                    search.tell(trial, [], 0)
                else:
                    search.tell(trial, walk(trial.state, "b", trial.steps), None, "no idea")
            self.assertIsNone(search.best.reward)
            self.assertEqual(search.best.why, "no idea")

    def test_mistakes_are_errors(self):
        with umf.Search(actions=2, steps=3) as search:
            trial = search.ask()
            self.assertEqual(trial, search.ask())
            with self.assertRaisesRegex(umf.Error, "ends 1 steps before its end"):
                search.tell(trial, ["x", "y"], 1)
            with self.assertRaisesRegex(umf.Error, "3 steps at most, not 4"):
                search.tell(trial, ["x", "y", "z", "w"], 1)
            search.tell(trial, ["x", "y", "z"], 1)
            with self.assertRaisesRegex(umf.Error, "told already"):
                search.tell(trial, ["x", "y", "z"], 1)
        with self.assertRaisesRegex(ValueError, "closed"):
            search.ask()
        with self.assertRaisesRegex(umf.Error, "unknown option --explorations. Did you mean --exploration"):
            umf.Search(actions=2, steps=3, explorations=1)
        with self.assertRaisesRegex(umf.Error, "goes pass by pass"):
            umf.Search(actions=1, steps=3, search="treasure")


if __name__ == "__main__":
    unittest.main()
