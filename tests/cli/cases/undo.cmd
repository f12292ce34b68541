strata init -q >/dev/null
strata undo; echo "exit $?"
strata history
strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add sst2 $MODELS/tuned.safetensors -q --tag prod >/dev/null
strata remove sst2
strata history
strata history --limit 1 -v
strata undo -n
strata undo
strata undo
strata redo
strata redo; echo "exit $?"
strata redo; echo "exit $?"
strata history
strata rename base other -q
strata undo 4; echo "exit $?"
strata undo -q
strata trash empty -y -q
strata undo; echo "exit $?"
strata undo 99; echo "exit $?"
strata list --versions -q
