strata -C ours init -q >/dev/null && strata -C ours import $MODELS/base.safetensors --name base -q >/dev/null
strata -C ours add sst2 $MODELS/tuned.safetensors --base base --tag prod -q >/dev/null
strata -C ours remote add stick file://$PWD/stick
strata -C ours push -n
strata -C ours push
strata -C ours push
strata -C ours remote show stick --check
strata clone file://$PWD/stick theirs
strata -C theirs restore sst2:prod -o back.safetensors -q && cmp back.safetensors $MODELS/tuned.safetensors && echo same
strata -C theirs pull
strata -C ours fetch
strata -C ours remote list
