"""For all tests: Ctrl-C works as in a terminal, however the test run itself was started."""

import signal

# A shell starts what it runs in the background with SIGINT ignored, and Python leaves it so.
signal.signal(signal.SIGINT, signal.default_int_handler)
