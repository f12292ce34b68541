strata init -q >/dev/null
(ulimit -f 128; strata import $EXAMPLES/base.safetensors --name base -q 2>error; echo "exit $?")
sed 's/object-[0-9a-f]*/object-<RANDOM>/' error
strata list -q; ls .strata/tmp .strata/objects
strata import $EXAMPLES/base.safetensors --name base -q >/dev/null; strata list -q
