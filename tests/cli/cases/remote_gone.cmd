# Whoever asks a remote that is gone is told what may have happened, as a push is.
strata -C ours init -q >/dev/null && strata -C ours import $MODELS/base.safetensors --name base -q >/dev/null
strata -C ours push file://$PWD/share -q >/dev/null
strata clone ./share theirs --lazy -q >/dev/null
mv share away
strata -C theirs pull; echo "exit $?"
strata -C theirs fetch; echo "exit $?"
strata -C theirs restore base -o out.safetensors; echo "exit $?"
strata -C theirs push; echo "exit $?"
strata -C theirs remote show origin --check; echo "exit $?"
strata -C new init -q >/dev/null
strata -C new pull file://$PWD/share; echo "exit $?"
mv away share
strata -C theirs restore base -o out.safetensors -q && cmp out.safetensors $MODELS/base.safetensors
