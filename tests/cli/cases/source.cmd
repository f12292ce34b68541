strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add sst2 $MODELS/tuned.safetensors --base base -q >/dev/null
strata push --no-base file://$PWD/stick
strata source base $MODELS/base.safetensors; echo "exit $?"
strata source base https://example.org/public/model.safetensors
strata source base https://example.org/public/model.safetensors
strata undo && strata redo
strata show base | grep source
strata history --limit 1
strata push --no-base file://$PWD/stick
strata remote verify file://$PWD/stick
strata -C new init -q >/dev/null
strata -C new pull file://$PWD/stick -n
strata -C new pull file://$PWD/stick; echo "exit $?"
strata -C new pull file://$PWD/stick --fetch-bases --offline; echo "exit $?"
strata -C new import $MODELS/base.safetensors --name mine -q >/dev/null
strata -C new pull file://$PWD/stick -q; echo "exit $?"
strata source base "" --json
