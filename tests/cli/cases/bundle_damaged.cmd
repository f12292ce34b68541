# What a bundle could not give is not counted as fetched, and gets no name from a repair.
strata -C ours init -q >/dev/null && strata -C ours import $MODELS/base.safetensors --name base -q >/dev/null
strata -C ours add sst2 $MODELS/tuned.safetensors --base base -q >/dev/null
strata -C ours import $MODELS/other.safetensors --name other -q >/dev/null
strata -C ours bundle create all.tar -q
pack=$(strata -C ours show base --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["packs"][0])')
python3 -c 'import sys, tarfile; at = next(m.offset_data for m in tarfile.open("all.tar") if m.name.endswith(sys.argv[1])); f = open("all.tar", "r+b"); f.seek(at + 60); b = f.read(1)[0]; f.seek(at + 60); f.write(bytes([b ^ 1]))' $pack
strata -C theirs init -q >/dev/null
strata -C theirs bundle import all.tar; echo "exit $?"
strata -C theirs verify; echo "exit $?"
strata -C theirs verify --repair; echo "exit $?"
strata -C theirs list --versions -q
