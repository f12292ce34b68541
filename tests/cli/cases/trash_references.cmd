strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add sst2 $MODELS/tuned.safetensors -q >/dev/null
strata remove sst2 -q
strata show sst2; echo "exit $?"
strata show sst2:v1
strata rename sst2 other
strata show sst2~1
strata trash restore base:v1
strata remote add hub file://$PWD/stick && strata add hub/a $MODELS/tuned2.safetensors -q >/dev/null && strata remove :hub/a -q
strata show :hub/a; echo "exit $?"
strata trash restore :hub/a -q
