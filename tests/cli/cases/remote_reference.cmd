strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add sst2 $MODELS/tuned.safetensors --tag prod -m "first" -q >/dev/null
strata add sst2 $MODELS/tuned2.safetensors -q >/dev/null
strata push file://$PWD/stick -q >/dev/null
strata -C new init -q >/dev/null
strata -C new remote add stick file://$PWD/stick -q
strata -C new show stick/sst2:prod
strata -C new show stick/sst2 --json >shown.json; grep -o '"here":\[\],"fetch_bytes":[0-9]*' shown.json
strata -C new restore stick/sst2:prod -o back.safetensors; echo "exit $?"
strata -C new show stick/none; echo "exit $?"
strata -C new show other/sst2; echo "exit $?"
strata -C new pull stick/sst2:prod
strata -C new show stick/sst2:prod | grep here
strata -C new restore stick/sst2:prod -o back.safetensors && cmp back.safetensors $MODELS/tuned.safetensors && echo same
strata -C new diff stick/sst2:prod stick/base -q
strata -C new diff stick/sst2:prod stick/sst2:v2; echo "exit $?"
strata -C new pull stick/sst2 base hub/x; echo "exit $?"
