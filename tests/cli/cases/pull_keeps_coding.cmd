strata -C A init -q >/dev/null; strata -C A add b $MODELS/base.safetensors -q; strata -C A add b $MODELS/tuned.safetensors -q; strata -C A push file://$PWD/hub -q
strata clone file://$PWD/hub C -q
strata -C C recode b:v2 --flatten --force -q && strata -C C gc --yes -q && strata -C C remove b:v2 -q
strata -C C pull --lazy -q; rm -r hub
strata -C C restore b:v2 -o back.safetensors -q && cmp back.safetensors $MODELS/tuned.safetensors && echo same
strata -C C verify -q; echo "exit $?"
