strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add sst2 $MODELS/tuned.safetensors -q >/dev/null
strata add sst2 $MODELS/tuned2.safetensors --chain -m second
strata list --versions --columns name,version,base,parent,depth,note
