strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add sst2 $MODELS/tuned.safetensors -q >/dev/null
strata add sst2 $MODELS/tuned2.safetensors -q >/dev/null; strata tag sst2:v2 prod -q >/dev/null
strata add wide $MODELS/wide.safetensors -q >/dev/null
strata import $MODELS/other.safetensors --name another -q >/dev/null
strata list --tree
