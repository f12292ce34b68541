strata init -q >/dev/null
strata config set effort best
strata config set trash.days 30
strata config set effort fast --in-store
strata config get effort --origin
STRATA_EFFORT=default strata config get effort --origin
strata config get jobs -j 3
strata config get effort -q
cat "$(strata config path)"
strata config unset effort --in-store
strata config unset effort --in-store
strata config get effort
strata config get efort; echo "exit $?"
strata config set jobs many; echo "exit $?"
strata config set color pink; echo "exit $?"
