# What a lazy clone lists and lacks is completed by the model itself, as the difference that it is.
strata -C ours init -q >/dev/null && strata -C ours import $MODELS/base.safetensors --name base -q >/dev/null
strata -C ours add sst2 $MODELS/tuned.safetensors --base base -q >/dev/null
strata -C ours add sst2 $MODELS/tuned2.safetensors --chain -q >/dev/null
strata -C ours push file://$PWD/stick -q >/dev/null
strata clone ./stick theirs --lazy -q >/dev/null
export STRATA_STORE=$PWD/theirs
here() { strata list --versions --columns name,base,here | cat; }
echo "its parent is not here"
strata add sst2 $MODELS/tuned2.safetensors; echo "exit $?"
here
echo "from the base on"
strata add base $MODELS/base.safetensors -n
strata add base $MODELS/base.safetensors
strata add sst2 $MODELS/tuned.safetensors
strata add tone $MODELS/tuned2.safetensors
here
for of in base tuned:sst2:v1 tuned2:sst2:v2 tuned2:tone; do strata restore ${of#*:} -o back -q >/dev/null && cmp back $MODELS/${of%%:*}.safetensors && rm back; done
strata verify --full -q; echo "exit $?"
echo "in full, where that is asked for"
strata clone ./stick full --lazy -q >/dev/null
strata -C full add sst2 $MODELS/tuned2.safetensors --base none
strata -C full restore sst2 -o back -q >/dev/null && cmp back $MODELS/tuned2.safetensors && echo same
