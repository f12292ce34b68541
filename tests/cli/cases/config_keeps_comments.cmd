mkdir -p ~/.config/strata
cat > ~/.config/strata/config.toml <<END
# mine
memory = "1GB" # plenty

[trash]
# a month
days = 30
END
strata config set memory 2GB -q; strata config set trash.days 7 -q
strata config set restore.verify no -q; strata config set jobs 2 -q
cat ~/.config/strata/config.toml
