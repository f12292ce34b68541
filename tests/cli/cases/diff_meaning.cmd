# A rounding is a change, in both directions; models without a tensor in common have none.
strata init -q >/dev/null && strata import $EXAMPLES/rotated.safetensors --name wide -q >/dev/null
strata add narrow $EXAMPLES/rotated-bf16.safetensors -q >/dev/null
strata diff wide narrow; strata diff narrow wide
strata diff wide narrow --tensors | tail -1
strata diff $MODELS/base.safetensors $MODELS/other.safetensors
for pair in "wide narrow" "narrow wide" "$MODELS/base.safetensors $MODELS/other.safetensors"; do
  strata diff $pair --json | python3 -c '
import json, sys
diff = json.load(sys.stdin)
change = diff["relative_change"]
print(diff["changed_share"] and diff["changed_share"] > 0.9, change and 0.001 < change < 0.002,
      diff["rounded_share"], diff["rounded_to"])'
done
