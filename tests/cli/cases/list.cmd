strata init -q >/dev/null; strata list
strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add sst2 $MODELS/tuned.safetensors -q >/dev/null
strata add wide $MODELS/wide.safetensors -q --tag prod >/dev/null
strata list
strata ls 's*' -q
strata list --sort size -q
strata list --filter 'tag=prod' -q
strata list 'none*'
strata add sst2 $MODELS/other.safetensors -q >/dev/null; strata tag sst2:v1 old -q >/dev/null
strata list --filter 'tag=old' -q
