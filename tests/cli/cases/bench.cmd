strata init -q >/dev/null
strata bench; echo "exit $?"
strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add sst2 $MODELS/tuned.safetensors -q >/dev/null
find .strata/objects .strata/refs .strata/tmp -type f | sort | xargs sha256sum >before
words() { awk '{print $1}'; }
mkdir work; strata bench --work work 2>/dev/null | words; ls work
strata bench base --repeat 1 -q | grep -c '^[0-9]*$'
strata bench sst2 --repeat 2 --effort fast --json --progress never >earlier.json
strata bench sst2 --repeat 1 --compare earlier.json 2>/dev/null | sed -n 2p
strata bench base --repeat 1 --compare earlier.json 2>&1 >/dev/null | grep another
find .strata/objects .strata/refs .strata/tmp -type f | sort | xargs sha256sum | cmp - before && echo unchanged
strata add small $MODELS/tuned.safetensors --profile small -q >/dev/null 2>&1
strata bench small --repeat 1 2>/dev/null | words
strata bench nope; echo "exit $?"
strata bench --repeat 0; echo "exit $?"
strata bench --work nowhere; echo "exit $?"
strata bench --compare nowhere.json; echo "exit $?"
echo '{"type":"result"}' >other.json; strata bench --compare other.json; echo "exit $?"
