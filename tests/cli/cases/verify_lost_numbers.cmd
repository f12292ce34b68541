strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add sst2 $MODELS/tuned.safetensors -q >/dev/null
strata rm --now sst2 --yes -q >/dev/null
rm .strata/refs/sst2/last.json
strata verify --progress never; echo $?
strata verify --repair --progress never; echo $?
rm .strata/refs/sst2/last.json
strata add sst2 $MODELS/tuned.safetensors -q
strata verify --progress never; echo $?
