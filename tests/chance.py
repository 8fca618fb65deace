"""Runs all property tests on new random examples, in random order: ``make test-random``."""

import os
import random
import subprocess
import sys
import time


def main() -> None:
    """Run the hypothesis tests repeatedly for the given number of seconds; stop at a failure."""
    end = time.monotonic() + float(sys.argv[1])
    environment = {**os.environ, "HYPOTHESIS_PROFILE": "random"}
    while time.monotonic() < end:
        seed = random.SystemRandom().randrange(1 << 32)
        again = f"--hypothesis-seed={seed} -p random_order --random-order-seed={seed}"
        print(f"\nThe examples and the order of seed {seed}: HYPOTHESIS_PROFILE=random, {again}")
        command = [sys.executable, "-m", "pytest", "-q", "-m", "hypothesis and not slow"]
        options = [*again.split(), "--random-order", *sys.argv[2:]]
        ended = subprocess.run([*command, *options], env=environment, check=False)
        if ended.returncode:
            raise SystemExit(ended.returncode)


if __name__ == "__main__":
    main()
