export LC_ALL=C.UTF-8
strata init -q >/dev/null
mkdir model && cp $MODELS/base.onnx model/ && echo one > model/$'exe.\u202egnp' && echo two > model/$'a\u2028b\u200b'
strata import model --name m -m $'a note\u2066 with \u009b[2J more' -q >/dev/null
strata show m | grep -c 'U+'
strata show m | grep note
strata show m --json > shown.json && LC_ALL=C grep -c '[^ -~]' shown.json
grep -o 'a note[^"]*' shown.json
strata restore m -o back -q >/dev/null && diff -r model back && echo same
strata add m $'no\u202esuch.onnx'; echo $?
