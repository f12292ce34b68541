strata init -q >/dev/null
printf 'GGUF\3\0\0\0' > a.gguf; printf 'PK\3\4rest' > b.bin; printf '\200\2}q' > c.pt
echo '<html>not found</html>' > d.safetensors
mkdir e && cp b.bin e/pytorch_model.bin
for file in a.gguf b.bin c.pt d.safetensors e; do strata add x $file; echo "exit $?"; done 2>&1
