# A clone from a remote with a damaged object says what leads on, in the new store.
strata -C ours init -q >/dev/null && strata -C ours import $MODELS/base.safetensors --name base -q >/dev/null
strata -C ours add sst2 $MODELS/tuned.safetensors --base base -q >/dev/null
strata -C ours push file://$PWD/share -q
pack=$(strata -C ours show base --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["packs"][0])')
file=$(find share -type f -name "$pack"); chmod u+w $file; cp $file good
printf '\x01' | dd of=$file bs=1 seek=60 conv=notrunc status=none
strata clone ./share theirs 2>err; echo "exit $?"; cat err
fix=$(sed -n 's/^  Fix: //p' err); eval "$fix -q" >/dev/null 2>&1; echo "exit $?"
cp good $file
then=$(sed -n 's/.*goes on with "\(.*\)"$/\1/p' err)
eval "$then" 2>&1; echo "exit $?"
strata -C theirs verify
