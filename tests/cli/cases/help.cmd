strata --help
strata | diff - <(strata --help)
strata help | awk "length > 80 {print} END {if (NR > 24) print NR, \"lines\"}"
