strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata push "$PWD/share" -q && ls share
strata push base ./share | tail -1
strata clone ./share copy -q >/dev/null; strata -C copy list -q
strata remote add disk ./share -q && strata remote list -q
