strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata bench --repeat 1 --json --progress never >before.json; strata bench --repeat 1 --json --progress never --compare before.json
