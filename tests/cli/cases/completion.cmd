strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add sst2 $MODELS/tuned.safetensors -q --tag prod >/dev/null
c() { echo "> $*"; strata __complete -- "$@"; }
c re; c trash ''; c show ''; c show sst2:; c add sst2 ''; c add --eff; c add --effort ''; c -C ''; c config get tr
c config set --in-store j; c help tr; c help trash r; c restore sst2 -o ''; c profile show ''; c nonsense ''; c tag ''; c list --sort s
