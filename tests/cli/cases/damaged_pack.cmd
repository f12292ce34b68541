strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add sst2 $MODELS/tuned.safetensors -q >/dev/null
pack=$(strata show sst2 --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["packs"][0])')
file=$(find .strata/objects -type f -name "${pack:2}*"); chmod u+w $file
printf '\x01' | dd of=$file bs=1 seek=60 conv=notrunc status=none
strata verify; echo "exit $?"
strata list --columns ref,damaged
strata list --tree | grep -c DAMAGED
strata show sst2 | head -1
strata list --json | grep -c '"damaged":"'
strata verify -q; echo "exit $?"
strata verify base; echo "exit $?"
strata add sst2 $MODELS/tuned.safetensors -n; strata add sst2 $MODELS/tuned.safetensors
strata list --columns ref,damaged
strata verify; echo "exit $?"
printf '\x01' | dd of=$file bs=1 seek=60 conv=notrunc status=none
strata restore sst2 -o out.safetensors; echo "exit $?"
ls
