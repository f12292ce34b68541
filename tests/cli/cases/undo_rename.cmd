# A rename whose former name a pull brought back: the advice, followed, takes it back.
strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata remote add hub file://$PWD/hub >/dev/null && strata push -q >/dev/null
strata rename base other -q && strata pull base -q >/dev/null
strata undo 2> error; echo "exit $?"; cat error
eval "$(grep -o '"strata remove [^"]*"' error | tr -d '"') -y -q" >/dev/null; eval "$(grep -o '"strata undo [^"]*"' error | tr -d '"')"
strata list --versions -q
echo "# other content under the former name: nothing is advised that would lose it"
strata rename base other -q && strata add base $MODELS/other.safetensors --base none -q >/dev/null
strata undo $(strata history | awk '/rename/ && !/taken back|undo/ { print $1; exit }'); echo "exit $?"
