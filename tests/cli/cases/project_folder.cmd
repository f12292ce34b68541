mkdir -p project/sub && cd project && git init -q . && strata init && cat .strata/.gitignore && git status --short
strata import $MODELS/base.safetensors --name base -q >/dev/null
(cd .strata/objects && strata list -q)
(cd / && strata -C "$OLDPWD" list -q)
cd .. && strata -C project list -q
strata -C project verify -q; echo "verify $?"
