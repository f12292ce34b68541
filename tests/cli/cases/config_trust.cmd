# A store that came in an archive: its remotes and its proxy are not this user's words.
strata init -q >/dev/null
strata remote add mine file:///some/folder -q >/dev/null
strata config trust -q >/dev/null; echo "own words: $?"
cat > .strata/config.toml <<END
proxy = "http://10.9.8.7:3128"
END
cat >> .strata/remotes.toml <<END

[remote.evil]
url = "hf://acme/models"
endpoint = "https://hub.evil.example"
insecure = true
END
export STRATA_TOKEN_EVIL=planted
strata fetch evil >out 2>&1; echo "fetch: $?"
grep -o 'remote evil = .*insecure = "true"' out
grep -o 'strata config trust [^"]*' out | head -1 | sed "s#$PWD#HERE#"
strata fetch hf://acme/models >out 2>&1; echo "fetch by URL: $?"
grep -o 'proxy = http://10.9.8.7:3128' out
strata auth status evil >out 2>&1; echo "auth: $?"
strata remote set evil --secure >out 2>&1; echo "set: $?"
strata config trust >out 2>&1; echo "nobody says yes: $?"
strata config trust --yes | sed "s#$PWD#HERE#"; echo "yes: $?"
strata config get proxy -q
sed -i s/10.9.8.7/10.9.8.8/ .strata/config.toml
echo "changed: $(strata config get proxy -q)"
strata config set proxy http://10.9.8.9:3128 --in-store -q >/dev/null
strata config get proxy -q
strata config trust --list -q | sed "s#$PWD#HERE#"
strata config trust --remove -q >/dev/null
strata config trust --list -q
strata config trust /nowhere >/dev/null 2>&1; echo "no store: $?"
