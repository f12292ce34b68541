# Two files of a store are lost, objects or parity, and come back; three do not.
strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata config set parity 2/10; echo "not for a user: $?"
strata config set parity 3/9 --in-store; echo "no such value: $?"
strata config set parity 2/10 --in-store
strata add sst2 $MODELS/tuned.safetensors -q >/dev/null
strata info | grep parity
strata verify --progress never
objects() { find .strata/objects -type f | sort; }
for file in $(objects | sed -n 1p) $(objects | sed -n 3p); do rm $file; done
strata verify --progress never | sed 's/^ .*//' ; echo "lost ${PIPESTATUS[0]}"
strata verify --repair --progress never; echo "repaired $?"
strata restore sst2 -o back.safetensors -q && cmp back.safetensors $MODELS/tuned.safetensors && echo same
shard=$(find .strata/parity -type f | sort | head -1)
chmod u+w $shard && printf x | dd of=$shard bs=1 seek=900 conv=notrunc 2>/dev/null
strata verify --quick -q --progress never; echo "quick $?"
strata verify --progress never | sed 's/parity .*parity/parity PATH/'; echo "damaged ${PIPESTATUS[0]}"
strata verify --repair -q --progress never >/dev/null; echo "mended $?"
strata remove sst2 --now --yes -q >/dev/null
strata gc --yes -q
strata info --json | python3 -c "
import json, sys
state = json.load(sys.stdin)['store']['parity']
print(state['groups'], state['protected_objects'], state['unprotected_objects'], state['absent_objects'])"
rm $(objects | head -1) $(find .strata/parity -type f | head -1)
strata verify --repair -q --progress never >/dev/null; echo "mended $?"
rm $(objects) $(find .strata/parity -type f | head -1)
strata verify --repair -q --progress never >/dev/null 2>&1; echo "too many $?"
strata config set parity off --in-store -q; find .strata/parity -type f | wc -l
