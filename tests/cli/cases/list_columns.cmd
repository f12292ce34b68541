strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add sst2 $MODELS/tuned.safetensors -q >/dev/null
strata list --columns name,format,tensors,profile,effort,fidelity,license,hash
strata list --columns name,size
