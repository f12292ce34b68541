echo "effort = " > broken.toml
strata config list --config broken.toml; echo "exit $?"
echo "effort = \"huge\"" > broken.toml
STRATA_CONFIG=broken.toml strata config list; echo "exit $?"
echo "colour = \"never\"" > broken.toml
strata config get color --config broken.toml; echo "exit $?"
strata config get color --config gone.toml; echo "exit $?"
strata config path --config broken.toml
echo "effort = \"huge\"" > broken.toml
strata config set effort best --config broken.toml; echo "exit $?"
strata config get effort --config broken.toml
echo "effort = " > broken.toml
strata config unset effort --config broken.toml; echo "exit $?"
EDITOR="sh -c 'echo effort = \\\"fast\\\" > broken.toml'" strata config edit --config broken.toml; echo "exit $?"
strata config get effort --config broken.toml
strata man config; echo "exit $?"
