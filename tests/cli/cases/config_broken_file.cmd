echo "effort = " > broken.toml
strata config list --config broken.toml; echo "exit $?"
echo "effort = \"huge\"" > broken.toml
STRATA_CONFIG=broken.toml strata config list; echo "exit $?"
echo "colour = \"never\"" > broken.toml
strata config get color --config broken.toml; echo "exit $?"
strata config get color --config gone.toml; echo "exit $?"
