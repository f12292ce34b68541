strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add sst2 $MODELS/tuned.safetensors -q >/dev/null
strata verify
strata verify --quick
strata verify sst2 --rebuild
strata verify --quick --full
strata verify nobody
