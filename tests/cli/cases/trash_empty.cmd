strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add sst2 $MODELS/tuned.safetensors -q >/dev/null
strata remove sst2 -q
strata trash empty; echo "exit $?"
strata trash empty -n
strata trash empty --expired
strata trash empty --older-than 30d
strata trash empty sst2:v1 --older-than 30d --yes; echo "exit $?"
strata trash empty sst2 --expired --yes
strata trash empty -y
strata trash list
strata trash restore sst2; echo "exit $?"
