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
echo "a rename that cannot go back"
strata -C two init -q >/dev/null && strata -C two import $MODELS/base.safetensors --name base -q >/dev/null
strata -C two add a $MODELS/tuned.safetensors --base base -q >/dev/null
strata -C two push file://$PWD/stick -q >/dev/null && strata -C two rename a b -q >/dev/null
strata -C two pull a file://$PWD/stick -q >/dev/null
strata -C two undo; echo "exit $?"
strata -C two remove a --now -y -q >/dev/null; strata -C two undo; echo "exit $?"
