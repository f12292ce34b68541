strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add sst2 $MODELS/tuned.safetensors -q >/dev/null
strata cat sst2 head.weight > head.bin; wc -c < head.bin
python3 - $MODELS/tuned.safetensors <<'END'
import json, struct, sys
data = open(sys.argv[1], "rb").read()
size = struct.unpack("<Q", data[:8])[0]
begin, end = json.loads(data[8:8 + size])["head.weight"]["data_offsets"]
print(data[8 + size + begin:8 + size + end] == open("head.bin", "rb").read())
END
strata cat sst2 head.weigth; echo "exit $?"
strata cat nosuch x; echo "exit $?"
strata cat sst2 head.weight --json; echo "exit $?"
