strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add sst2 $MODELS/tuned.safetensors -q >/dev/null
strata add sst2 $MODELS/tuned2.safetensors -q >/dev/null
strata tag list
strata tag sst2:v1 prod --note 'passed review'
strata tag sst2:v2 prod; echo "exit $?"
strata tag sst2:v2 prod --move
strata tag sst2:v2 prod
strata tag sst2 v7; echo "exit $?"
strata tag list sst2
strata show sst2:prod -q | diff - <(strata show sst2:v2 -q)
strata tag remove sst2:prod
strata tag remove sst2:prod; echo "exit $?"
