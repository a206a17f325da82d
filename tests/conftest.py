"""How property tests run, here and in CI.

No deadline, since a busy machine is no bug. In CI the examples are a function of the test, so that
a red run is red again.
"""

import os

from hypothesis import settings

pytest_plugins = ["pytester"]

settings.register_profile("here", deadline=None, print_blob=True)
settings.register_profile("ci", deadline=None, print_blob=True, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")
