# Patterns of versions, as `remove` takes them.
strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add exp/run $MODELS/tuned.safetensors -q >/dev/null; strata add exp/run $MODELS/other.safetensors -q >/dev/null
strata list 'exp/*' -q
strata list 'exp/run:v*' -q
strata list '*:v1' -q
strata list exp/run:v1 -q
strata list 'exp/run:v3*'
