strata profile list
strata profile show exact
strata profile save tight --effort best --description "all that is possible"
strata profile save tight; echo "exit $?"
strata profile show tight
echo "mode = \"exact\"
efort = \"best\"" > bad.toml
strata profile import bad.toml; echo "exit $?"
echo "mode = \"quality\"" > team.toml
strata profile import team.toml --name ours
strata profile remove ours -q
strata profile remove exact; echo "exit $?"
strata profile show nothing; echo "exit $?"
strata profile import gone.toml; echo "exit $?"
strata profile list -q
