#!/bin/sh
# Stores the models of a list by a Slurm array, each task into the same remote:
#
#     sbatch --array=0-3 add_array.sh models.txt s3://bucket/models 4
#
# The last word is the number of shards: that of tasks. It stays 4 where one task alone is run
# again (sbatch --array=2 ...), so that this task takes the same lines.
#SBATCH --job-name=strata-add
#SBATCH --cpus-per-task=1
#SBATCH --requeue
set -eu
list=$1 remote=$2 shards=$3
# A store of its own on the node's disk. A task that was requeued there goes on with it; elsewhere
# it begins anew, and what the remote has is not stored again.
store=${TMPDIR:-/tmp}/strata-$SLURM_ARRAY_JOB_ID-$SLURM_ARRAY_TASK_ID
strata init -q "$store" > /dev/null
strata -C "$store" --jobs "${SLURM_CPUS_PER_TASK:-1}" add --from "$list" \
    --shard "$SLURM_ARRAY_TASK_ID/$shards" --push "$remote"
rm -r "$store"
