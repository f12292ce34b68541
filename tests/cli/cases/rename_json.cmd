strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata remote add stick file://$PWD/stick >/dev/null && strata push -q >/dev/null
strata rename base encoder --json
