#!/usr/bin/env python3
"""Installs a build into a temporary folder, and builds and runs examples/embed against it: by CMake's
find_package, and by pkg-config, also as a shared library, which takes position-independent code.

    test_embed.py CMAKE BUILD_FOLDER EXAMPLE_FOLDER COMPILER
"""
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

cmake, build, example, compiler = sys.argv[1:]


def run(*command, **environment):
    done = subprocess.run([str(word) for word in command], env={**os.environ, **environment}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        sys.exit(f"{shlex.join(map(str, command))}\nended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def check_output(program, store, how):
    printed = run(program, store)
    expected = "tuned:v1: a difference to base:v1 of "
    if not printed.startswith(expected) or not printed.endswith("the same weights came back\n"):
        sys.exit(f"built by {how}, it printed:\n{printed}")
    stored = int(printed[len(expected):].split()[0])
    if not 1000 < stored < 512 * 256 * 4 / 2:
        sys.exit(f"built by {how}, the difference takes {stored} bytes")
    print(f"{how}: {printed.splitlines()[0]}")


def flags(installed, *asked):
    found = next(installed.glob("lib*/**/strata.pc")).parent
    return run("pkg-config", *asked, "strata", PKG_CONFIG_PATH=str(found)).split()


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    # Moved after it was installed: nothing in it may name the folder that it was installed in.
    run(cmake, "--install", build, "--component", "development", "--prefix", folder / "first")
    installed = (folder / "first").rename(folder / "installed")

    run(cmake, "-S", example, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={installed}",
        f"-DCMAKE_CXX_COMPILER={compiler}")
    run(cmake, "--build", folder / "build")
    check_output(folder / "build/embed", folder / "store", "find_package")

    source = pathlib.Path(example) / "embed.cpp"
    run(compiler, "-std=c++20", source, *flags(installed, "--cflags", "--libs"), "-o", folder / "embed")
    check_output(folder / "embed", folder / "store2", "pkg-config")

    library = [word for word in flags(installed, "--libs") if word.startswith("-lstrata")]
    others = [word for word in flags(installed, "--libs") if not word.startswith("-lstrata")]
    run(compiler, "-shared", "-o", folder / "libstrata.so", "-Wl,--whole-archive", *others[:1], *library,
        "-Wl,--no-whole-archive", *others)
