for command in init import add list ls log show diff restore verify remove "trash list" "trash restore" "trash empty" tag "tag list" "tag remove" "profile list" "profile show" "profile save" "profile import" "profile remove" "config get" "config set" "config unset" "config list" "config edit" "config path" "config trust" info completion; do
  strata help $command | head -1
  strata help $command | awk -v name="$command" "length > 100 {print name \": \" \$0}"
done
strata help options
# Everything at once: no command is missing, and none is made up.
strata help all | grep -c '^Usage: strata'; strata help all | awk 'length > 100'
strata help tag nosuch; echo "exit $?"
