cp -r $MODELS/run out
cp $MODELS/run/checkpoint-10/trainer_state.json out/checkpoint-20/
strata bench --field out --run --base $MODELS/base.safetensors --progress never 2>/dev/null | sed -E 's/ +[0-9.]+ [kMG]B\/s//g; s/; [0-9]+ threads?//'
strata bench --field out --run --base $MODELS/base.safetensors --json --progress never >field.json; echo "exit $?"
python3 -c "
import json
found = [json.loads(l) for l in open('field.json')][-1]
rows = {row['system']: row for row in found['systems']}
print(found['checkpoints'], [name for name in rows if 'resume' in name])
print(all(0 < row['weight_bytes'] <= row['stored_bytes'] for row in rows.values() if 'problem' not in row))
print(rows['LC-Checkpoint']['weight_ratio'] > rows['Strata']['weight_ratio'])"
strata bench --field $MODELS/run/checkpoint-5 --run --base $MODELS/base.safetensors; echo "exit $?"
strata bench --run --base $MODELS/base.safetensors; echo "exit $?"
