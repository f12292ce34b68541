strata -C ours init -q >/dev/null && strata -C ours import $MODELS/base.safetensors --name base -q >/dev/null
strata -C ours add sst2 $MODELS/tuned.safetensors --base base -q >/dev/null
strata -C ours push file://$PWD/stick -q >/dev/null
strata clone file://$PWD/stick theirs --lazy -q >/dev/null
export STRATA_STORE=$PWD/theirs
strata remove base -q
strata show origin//base 2>/dev/null | grep here | cut -c1-15
strata restore sst2 -o back.safetensors -q >/dev/null && cmp back.safetensors $MODELS/tuned.safetensors && echo same
strata list -q
strata undo -q >/dev/null && strata list -q && strata verify -q && echo sound
strata remove base -q
echo "a ':' before a name of this store"
strata list :sst2 -q; strata du :sst2 -q
strata trash restore :base && strata list ':ba*' -q
