strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
hash=$(strata add sst2 $MODELS/tuned.safetensors -q)
strata show @${hash:0:12} -q | diff - <(echo $hash)
