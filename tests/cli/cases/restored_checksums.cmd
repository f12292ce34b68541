# Archives that come back with other weights say the checksums of those.
strata init -q >/dev/null
models=$EXAMPLES/../tests/data/pytorch
for file in 1.13/weights.pt 2.15/weights.pt 1.13/optimizer.pt 2.15/views.pt 2.15/arrays.npz; do
  name=$(echo $file | tr -c 'a-z0-9\n' -)
  strata add m-$name $models/$file --codec levels --levels 4 --base none -q >/dev/null 2>&1
  strata restore m-$name -o $name -q >/dev/null
  cmp -s $name $models/$file && echo "$file is what it was"
  python3 -c "
import sys, zipfile
print(sys.argv[2], 'damaged:', zipfile.ZipFile(sys.argv[1]).testzip())" $name $file
done
