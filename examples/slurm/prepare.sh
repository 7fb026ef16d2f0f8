#!/bin/bash
# Makes the environment that jobs run in.  Call it once on the login node, which has the internet;
# compute nodes need none:
#
#   bash examples/slurm/prepare.sh ~/sleuth             # the published package
#   bash examples/slurm/prepare.sh ~/sleuth .           # or this checkout
#
# FOLDER must be on a disk that all nodes see.  Then submit with PYTHON=FOLDER/bin/python.
# PYTHON names another interpreter to make it from: module load python/3.11 may give you one.

set -euo pipefail
folder="$(realpath -m "${1:?usage: prepare.sh FOLDER [PACKAGE]}")"
package="${2:-sleuth-mcts}"
python="${PYTHON:-python3}"

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "Python 3.11 or newer is needed: PYTHON=python3.11 bash $0 $folder" >&2
    exit 1
}
if command -v uv >/dev/null; then
    uv venv --quiet --allow-existing --python "$python" "$folder"
    uv pip install --quiet --python "$folder/bin/python" "$package"
else
    "$python" -m venv "$folder"
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check "$package"
fi
# As jobs do it: an interpreter that reads the home or the internet first would fail there.
"$folder/bin/python" -c 'import experiments, mcts, ray'

cat <<END
The environment is in $folder.

  export PYTHON=$folder/bin/python

Compiled code is kept for each kind of processor.  Fill the cache by a job of one task on each kind
of node, and wait for it, before many tasks begin:

  sbatch --constraint=KIND examples/slurm/array.sbatch -m experiments.compare \\
      player=bmcts match.games=1 match.workers=1 tracking.enabled=false run.folder=warm-KIND

Then the tasks, which share the folder:

  sbatch --array=0-7 examples/slurm/array.sbatch -m experiments.tables ledford_4_1 folder=\$PWD/tables
END
