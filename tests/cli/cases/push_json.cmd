strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata push file://$PWD/stick --json --progress never
strata -C new init -q >/dev/null
strata -C new pull file://$PWD/stick --json --progress never
