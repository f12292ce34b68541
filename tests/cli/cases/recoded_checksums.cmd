# Versions made of versions say the checksums of the weights that they restore to.
strata init -q >/dev/null
cat >archives.py <<'END'
import array, pathlib, random, struct, sys, zipfile

def save(path, values):
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (128, 32), }".ljust(117) + "\n"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("w.npy", b"\x93NUMPY\1\0" + struct.pack("<H", 118) + header.encode()
                         + array.array("f", values).tobytes())

if sys.argv[1:] == ["make"]:
    rng = random.Random(1)
    values = [rng.gauss(0, 0.05) for _ in range(4096)]
    for i in range(5):
        save(f"n{i}.npz", values)
        folder = pathlib.Path(f"f{i}/deep")
        folder.mkdir(parents=True)
        (folder.parent / "config.json").write_text("{}")
        save(folder / "w.npz", values)
        values = [value + rng.gauss(0, 0.002) for value in values]
else:
    for path in sys.argv[2:]:
        print(sys.argv[1], "damaged:", zipfile.ZipFile(path).testzip())
END
python3 archives.py make
checked() {
  rm -rf back && strata -C ${2:-.} restore $1 -o back -q >/dev/null
  python3 archives.py $1 $(find back -type f ! -name config.json)
}
strata import n0.npz --name n -q >/dev/null
for i in 1 2 3; do strata add n n$i.npz --profile safe --chain -q >/dev/null; done
strata recode n --merge -q 2>/dev/null && checked n:v5
strata recode n --profile small -q 2>/dev/null && checked n:v6
strata recode n:v6 --profile balanced -q 2>/dev/null && checked n:v7
strata recode n:v5 --flatten -q >/dev/null && checked n:v5
strata add e n4.npz --base n:v1 -q >/dev/null && checked e:v1
strata recode e --profile balanced -q 2>/dev/null && checked e:v2
echo "- of a folder"
strata import f0 --name f -q >/dev/null
for i in 1 2 3; do strata add f f$i --profile safe --chain -q >/dev/null; done
strata recode f --merge --profile small -q 2>/dev/null && checked f:v5
strata restore f --weights-only -o weights -q >/dev/null
python3 archives.py "f without the rest" $(find weights -name '*.npz')
echo "- elsewhere"
strata bundle create both.strata f:v5 n:v5 -q >/dev/null 2>&1
mkdir other && strata -C other init -q >/dev/null
strata -C other bundle import both.strata -q >/dev/null
checked f:v5 other
checked n:v5 other
strata verify --rebuild -q >/dev/null && echo sound
