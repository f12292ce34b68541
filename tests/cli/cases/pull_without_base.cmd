strata -C ours init -q >/dev/null && strata -C ours import $MODELS/base.safetensors --name base -q >/dev/null
strata -C ours add sst2 $MODELS/tuned.safetensors --base base -q >/dev/null
strata -C ours push sst2 file://$PWD/share --no-base -q
strata -C theirs init -q >/dev/null && strata -C theirs import $MODELS/other.safetensors --name base -q >/dev/null
strata -C theirs pull sst2 file://$PWD/share; echo "exit $?"
strata -C theirs import $MODELS/base.safetensors --name first -q
strata -C theirs pull sst2 file://$PWD/share -q; echo "exit $?"
