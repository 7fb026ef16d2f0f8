"""A player of ten lines in any language: it plays any legal action and never accuses.

python -m experiments.compare player=external player.command='python examples/external.py'
"""

import json
import random
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "begin":
        chance = random.Random(message["seed"])
    elif message["type"] == "decide":
        print(chance.choice([a for a in message["actions"] if not 46 <= a < 370]), flush=True)
