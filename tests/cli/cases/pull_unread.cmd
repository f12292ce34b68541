# All but what cannot be read comes, and the exit says so.
strata -C ours init -q >/dev/null && strata -C ours import $MODELS/base.safetensors --name base -q >/dev/null
strata -C ours add sst2 $MODELS/tuned.safetensors --base base -q >/dev/null
strata -C ours push file://$PWD/stick -q; strata -C ours bundle create whole.tar -q
sed -i 's/"kind":"version","license":"","manifest":"\([0-9a-f]*\)","name":"sst2"/"kind":"Version","license":"","manifest":"\1","name":"sst2"/; s/,"number":[0-9]*,"check":"[0-9a-f]*"//' stick/refs/00000000000000000001
strata clone file://$PWD/stick theirs; echo "clone: $?"
strata -C theirs pull; echo "pull: $?"
strata -C theirs pull --json | grep -c '"problems":\["'
