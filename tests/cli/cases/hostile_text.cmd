strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add x $MODELS/tuned.safetensors -q -m $'red \e[31m text' >/dev/null
strata log x --oneline | grep -c $'\e'
strata log x --oneline
