strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata remote add stick file://$PWD/stick --json
strata push stick -n --json --progress never
strata push stick --json --progress never
strata fetch stick --json
strata remote list --json
strata remote show stick --check --json
strata search --remote file://$PWD --json
strata transfer list --json
strata clone file://$PWD/stick new --json --progress never
strata bundle create all.bundle --json --progress never
