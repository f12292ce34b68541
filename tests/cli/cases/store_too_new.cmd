strata init -q >/dev/null
sed -i 's/^\(format.*= *\)[0-9]*/\199/' .strata/store.toml
strata list; echo "exit $?"
