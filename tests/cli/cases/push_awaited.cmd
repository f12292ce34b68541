# Of many versions that are not here, one line brings all.
strata -C ours init -q >/dev/null && strata -C ours import $MODELS/base.safetensors --name base -q >/dev/null
strata -C ours add sst2 $MODELS/tuned.safetensors --base base -q >/dev/null
strata -C ours add sst2 $MODELS/tuned2.safetensors --base base -q >/dev/null
strata -C ours push file://$PWD/stick -q >/dev/null
strata clone ./stick theirs --lazy -q >/dev/null
strata -C theirs push file://$PWD/other; echo "exit $?"
strata -C theirs pull base origin -q >/dev/null
strata -C theirs push file://$PWD/other; echo "exit $?"
strata -C theirs pull origin -q >/dev/null && strata -C theirs push file://$PWD/other -q
strata clone ./stick lazy --lazy -q >/dev/null && strata -C lazy remote add new file://$PWD/never >/dev/null
strata -C lazy push new; echo "exit $?"
