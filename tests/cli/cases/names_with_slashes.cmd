strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add org/model $MODELS/tuned.safetensors --tag prod -q >/dev/null
strata add 模型/naïve $MODELS/tuned2.safetensors -q >/dev/null
strata list -q
strata restore org/model:prod -o - | cmp - $MODELS/tuned.safetensors && echo same
mkdir -p org/model && strata diff org/model base | head -1
strata mv org/model org/other | head -1
strata remote add org "file://$PWD/share" -q >/dev/null && strata push org -q
strata -C two init -q >/dev/null && strata -C two remote add org "file://$PWD/share" -q >/dev/null
strata -C two pull org/other org -q
strata -C two pull org/org/other -q; strata -C two list -q
strata rm 模型/naïve -q; strata trash restore 模型/naïve -q; strata verify -q; echo "verify $?"
strata add "$(printf 'nai\xcc\x88ve')" $MODELS/tuned.safetensors 2>&1 | tail -1
strata rename base a//b; echo "exit $?"
