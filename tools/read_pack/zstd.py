"""zstd frames, by the package `zstandard` or by the program `zstd`."""

import os
import subprocess
import tempfile

from outcome import corrupt, require

try:
    import zstandard
except ImportError:
    zstandard = None

MOST_WINDOW = 1 << 29


def unzstd(frame, size, dictionary=b""):
    """Decodes one frame to exactly `size` bytes; `dictionary` is raw content (§5)."""
    if zstandard is not None:
        raw = zstandard.DICT_TYPE_RAWCONTENT
        prefix = zstandard.ZstdCompressionDict(dictionary, dict_type=raw) if dictionary else None
        context = zstandard.ZstdDecompressor(dict_data=prefix, max_window_size=MOST_WINDOW)
        try:
            data = context.decompress(frame, max_output_size=size)
        except zstandard.ZstdError as error:
            raise corrupt(f"zstd frame: {error}") from error
    else:
        data = run_zstd(frame, dictionary)
    require(len(data) == size, f"zstd frame decodes to {len(data)} bytes, expected {size}")
    return data


def run_zstd(frame, dictionary):
    command = ["zstd", "-d", "-q", "-c", "--memory=512MB"]
    with tempfile.TemporaryDirectory() as folder:
        if dictionary:
            path = os.path.join(folder, "prefix")
            with open(path, "wb") as file:
                # Matches are counted from the end, so a byte in front changes nothing; it keeps the
                # program from taking content that begins with the magic number for a trained one.
                file.write(b"\0" + dictionary)
            command.append(f"--patch-from={path}")
        done = subprocess.run(command, input=frame, capture_output=True, check=False)
    require(done.returncode == 0, "zstd frame: " + done.stderr.decode(errors="replace").strip())
    return done.stdout
