mkdir man && strata __man man; ls man/strata.1 man/strata-diff.1 man/strata-trash-empty.1
cat man/strata-tag-remove.1
sed -n 1,12p man/strata.1
if command -v groff >/dev/null; then groff -man -Tutf8 -ww -z man/*.1; fi
