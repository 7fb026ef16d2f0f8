"""Play a match on a Ray cluster of two nodes, one of which is killed; a script for `test_cluster`.

python cluster_run.py FOLDER SETTING...
"""

import sys
import time
from pathlib import Path
from threading import Thread

from ray.cluster_utils import Cluster

from experiments.compare import __main__ as compare
from experiments.matches import results, runner
from mcts.distributed import local_ray

results.FLUSH_SECONDS = (0.1, 0.1)

SOON = {
    "health_check_initial_delay_ms": 0,
    "health_check_period_ms": 300,
    "health_check_timeout_ms": 1_000,
    "health_check_failure_threshold": 2,
}
"""That a node is dead is known in a second; Ray's own settings take fifteen."""


def main(folder: Path, *settings: str) -> None:
    small = {"num_cpus": 1, "object_store_memory": 128 * 1024**2, "include_dashboard": False}
    with local_ray.without_onlookers():
        head = {**small, "_system_config": SOON}
        cluster = Cluster(initialize_head=True, head_node_args=head)
        other = cluster.add_node(num_cpus=1, object_store_memory=128 * 1024**2)
    cluster.wait_for_nodes()

    def kill() -> None:
        while not results.parts(folder):
            time.sleep(0.02)
        cores = runner.ray.cluster_resources()["CPU"]
        nodes = {each["NodeID"] for each in runner.ray.nodes() if each["Alive"]}
        print(f"killing a node of {len(nodes)} with {cores:.0f} cores", flush=True)
        cluster.remove_node(other, allow_graceful=False)

    Thread(target=kill, daemon=True).start()
    sys.argv = ["compare", *settings, f"ray.address={cluster.address}", f"run.folder={folder}"]
    try:
        compare.main()
    finally:
        local_ray.stop()  # before the cluster goes, which it would wait for
        cluster.shutdown()


if __name__ == "__main__":
    with local_ray.authentication():
        main(Path(sys.argv[1]), *sys.argv[2:])
