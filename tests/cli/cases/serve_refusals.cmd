export STRATA_STORE="$PWD/store"
strata serve; echo "exit $?"
strata init -q >/dev/null
for address in nonsense 127.0.0.1 127.0.0.1:99999 :80 ::1:80 127.0.0.1:x; do
  strata serve --listen "$address"; echo "exit $?"
done
strata serve --listen 192.0.2.1:0; echo "exit $?"
strata serve --token-file missing; echo "exit $?"
echo secret >token
chmod 644 token
strata serve --token-file token; echo "exit $?"
chmod 600 token
: >token
strata serve --token-file token; echo "exit $?"
STRATA_SERVE_TOKEN="two words" strata serve; echo "exit $?"
