strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -m "first" -q >/dev/null
strata note base "passed review"; echo "exit $?"
strata note base:v1 "passed review"
strata list --columns ref,note
strata note base ""; echo "exit $?"
strata note nosuch text; echo "exit $?"
strata note base; echo "exit $?"
strata verify -q --rebuild-catalog; strata list --columns ref,note
