# A damaged list of remotes is damage, whatever command reads it.
strata init -q >/dev/null
strata remote add stick file://$PWD/stick -q >/dev/null
try() { echo "$ strata $*"; strata "$@"; echo "exit $?"; }
echo "[[[" > $(ls -d .strata 2>/dev/null || echo .)/remotes.toml
for command in "push" "pull" "fetch" "remote list"; do try $command 2>&1 | sed "s|$PWD|.|g; s|\./\.strata|.|g"; done
try verify 2>&1 | sed "s|$PWD|.|g" | tail -4
