echo "a name that was renamed here brings no tag"
strata -C ours init -q >/dev/null && strata -C ours import $MODELS/base.safetensors --name t -q >/dev/null
strata -C ours tag t best -q >/dev/null; strata -C ours remote add hub file://$PWD/stick >/dev/null
strata -C ours push -q >/dev/null; strata -C ours rename t u -q >/dev/null; strata -C ours push -q >/dev/null
strata -C ours pull -q; strata -C ours remote list | cat
echo "the newest versions alone"
strata -C ours add v $MODELS/tuned.safetensors --base u --codec levels --step 0.5 -q >/dev/null
strata -C ours add v $MODELS/tuned2.safetensors --base u -q >/dev/null
strata -C ours list --filter lossy; strata -C ours list --filter lossy --versions -q
strata -C ours list none --versions
echo "no store within a file"
strata -C $MODELS/base.safetensors list; echo "exit $?"
