# A remote's place as a path, in each command that takes one; a bare word says what is meant.
strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
mkdir share away
strata remote add origin ./share
strata push -q
cp -r share away/
strata remote set origin ./away/share
strata pull
strata remote set origin share; echo "exit $?"
strata remote add other share; echo "exit $?"
strata clone share theirs; echo "exit $?"
strata clone nothing theirs; echo "exit $?"
strata clone ./share theirs -q
