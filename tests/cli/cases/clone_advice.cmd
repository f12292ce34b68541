# After a clone that did not get its base, what is advised leads on.
strata -C ours init -q >/dev/null && strata -C ours import $MODELS/base.safetensors --name base -q >/dev/null
strata -C ours add sst2 $MODELS/tuned.safetensors --base base -q >/dev/null
strata -C ours push sst2 file://$PWD/share --no-base -q
strata clone file://$PWD/share 'their copy' 2>err; echo "exit $?"; cat err
fix=$(sed -n 's/^  Fix: //p' err | sed "s#FILE#$MODELS/base.safetensors#; s/NAME/base/"); then=$(sed -n 's/.*goes on with "\(.*\)"$/\1/p' err)
eval "$fix -q" >/dev/null; echo "exit $?"; eval "$then" 2>&1; echo "exit $?"
