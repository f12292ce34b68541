strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add sst2 $MODELS/tuned.safetensors -q >/dev/null
strata add sst2 $MODELS/tuned2.safetensors --no-chain -q --tag prod >/dev/null
strata remove base; echo "exit $?"
strata remove sst2 -n
strata remove sst2
strata list --versions -q
strata trash list
strata trash restore sst2:v2
strata show sst2:prod | head -1 | cut -d' ' -f1
