strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add sst2 $MODELS/tuned.safetensors -q --tag prod >/dev/null
source <(strata completion bash)
compopt() { :; }
try() { COMP_LINE=$1; COMP_POINT=${#1}; COMP_WORDS=($1); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  case $1 in *' ') COMP_WORDS+=(''); COMP_CWORD=$((COMP_CWORD + 1)) ;; esac
  _strata; echo "${COMPREPLY[@]}"; }
try 'strata ver'
try 'strata show s'
try 'strata show sst2:p'
try 'strata add x .str'
