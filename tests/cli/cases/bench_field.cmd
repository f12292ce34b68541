strata bench --field $EXAMPLES/rotated.safetensors; echo "exit $?"
strata bench --base $EXAMPLES/base.safetensors; echo "exit $?"
strata bench --field $EXAMPLES/rotated.safetensors --base nowhere; echo "exit $?"
strata bench --field $EXAMPLES/rotated.safetensors --base $EXAMPLES/base.safetensors --repeat 2; echo "exit $?"
strata bench --field $EXAMPLES/rotated.safetensors --base $EXAMPLES/base.safetensors --plot field.svg --progress never 2>/dev/null | sed -E 's/ +[0-9.]+ [kMG]B\/s//g; s/; [0-9]+ threads?//'
grep -c '<rect' field.svg; ls -A
strata bench --field $EXAMPLES/rotated.safetensors --base $EXAMPLES/base.safetensors --plot field.svg; echo "exit $?"
strata init -q >/dev/null; strata import $EXAMPLES/base.safetensors --name base -q >/dev/null
strata bench --field $EXAMPLES/rotated.safetensors --base base --json --progress never >field.json; echo "exit $?"
python3 -c "import json; rows = [json.loads(l) for l in open('field.json')][-1]['systems']; print(len(rows), all(r['lossy'] or r['relative_error'] is None for r in rows))"
strata list
