strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
for model in tuned tuned2 tuned tuned2 tuned; do strata add run $MODELS/$model.safetensors -q >/dev/null; done
strata tag run:v1 first -q
strata prune run; echo "exit $?"
strata prune run --keep-last 0; echo "exit $?"
strata prune run:v1 --keep-last 1; echo "exit $?"
strata prune 'x*' --keep-last 1; echo "exit $?"
strata prune run --keep-best; echo "exit $?"
strata prune 'r*' --keep-last 1 --keep-tagged --keep-every 4 -n
strata prune run --keep-last 1 --keep-tagged --keep-every 4
strata list --versions -q run
strata prune run --keep-last 9
strata trash restore 'run*' -q
strata prune run --keep-last 2 -q
