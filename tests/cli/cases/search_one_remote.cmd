# Of one remote alone the names of its versions are looked at, too.
strata init -q >/dev/null && strata import $MODELS/base.safetensors --name distil -q >/dev/null
mkdir share && strata remote add up ./share -q && strata push -q >/dev/null
strata search DIST --remote up -q
strata search share --remote up -q
strata search 'none' --remote up
strata search DIST --remote ./share -q
