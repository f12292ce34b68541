strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add sst2 $MODELS/tuned.safetensors -q >/dev/null
strata show sst2
strata show sst2:v1 --tensors --sort name
strata show sst2 --tensors --limit 1 | tail -1
strata show sst2 -q | wc -c
strata show base --raw | head -3
