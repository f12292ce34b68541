strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add sst2 $MODELS/tuned.safetensors -q >/dev/null
rm .strata/refs/base/v1.json
strata verify --progress never; echo $?
strata gc --yes; echo $?
strata verify --repair --progress never; echo $?
strata gc --yes; echo $?
