#!/usr/bin/env python3
"""Builds and runs examples/embed against an installed Strata: by CMake's find_package, and by
pkg-config, also as a shared library, which takes position-independent code. All that was found on
the way has to belong to Debian packages that libstrata-dev depends on.

    test_embed.py CMAKE BUILD_FOLDER EXAMPLE_FOLDER COMPILER
    test_embed.py CMAKE UNPACKED_PACKAGE EXAMPLE_FOLDER COMPILER DEPENDS

A build is installed into a temporary folder first.
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

cmake, place, example, compiler = sys.argv[1:5]


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


def installed_in(folder):
    """Where the headers and archives are, and what their package depends on."""
    if len(sys.argv) > 5:
        return pathlib.Path(place), sys.argv[5]
    # Moved after it was installed: nothing in it may name the folder that it was installed in.
    run(cmake, "--install", place, "--component", "development", "--prefix", folder / "first")
    settings = (pathlib.Path(place) / "CPackConfig.cmake").read_text()
    depends = re.search(r'set\(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "([^"]*)"', settings)
    return (folder / "first").rename(folder / "installed"), depends[1]


def with_theirs(packages):
    """These Debian packages and all that they depend on, as far as they are installed."""
    found, new = set(), list(packages)
    while new:
        name = new.pop()
        if name in found:
            continue
        found.add(name)
        asked = ["dpkg-query", "-W", "-f", "${Depends}, ${Pre-Depends}, ", name]
        answer = subprocess.run(asked, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        new += re.findall(r"(?:^|[,|]) *([a-z0-9][a-z0-9+.-]*)", answer.stdout)
    return found


def check_packages(built, depends):
    """What CMake found for the package has to come with it. A compiler is there anyhow, and protoc
    is not asked for."""
    if shutil.which("dpkg-query") is None:
        print("SKIPPED: what the package depends on: no dpkg-query")
        return
    names = [word.split()[0] for word in depends.split(",")]
    known, missing = with_theirs([*names, "g++"]), []
    for line in (built / "CMakeCache.txt").read_text().splitlines():
        found = re.fullmatch(r"(?!CMAKE_|CUDA|Protobuf_PROTOC)[^:=]+:(?:FILE)?PATH=(/usr/.*)", line)
        if not found or found[1] in ("/usr/include", "/usr") or "/local/" in found[1]:
            continue
        asked = ["dpkg-query", "-S", found[1]]
        owner = subprocess.run(asked, text=True, stdout=subprocess.PIPE).stdout
        owners = {word.split(":")[0] for word in owner.rpartition(": ")[0].split(", ")} - {""}
        if owners and not owners & known:
            missing.append(f"{found[1]} of {', '.join(owners)}")
    if missing:
        sys.exit(f"libstrata-dev needs {'; '.join(missing)}, and depends on {depends}")
    print(f"what was found comes with {', '.join(names)}")


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    installed, depends = installed_in(folder)

    run(cmake, "-S", example, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={installed}",
        f"-DCMAKE_CXX_COMPILER={compiler}")
    run(cmake, "--build", folder / "build")
    check_output(folder / "build/embed", folder / "store", "find_package")
    check_packages(folder / "build", depends)

    source = pathlib.Path(example) / "embed.cpp"
    run(compiler, "-std=c++20", source, *flags(installed, "--cflags", "--libs"), "-o", folder / "embed")
    check_output(folder / "embed", folder / "store2", "pkg-config")

    library = [word for word in flags(installed, "--libs") if word.startswith("-lstrata")]
    others = [word for word in flags(installed, "--libs") if not word.startswith("-lstrata")]
    run(compiler, "-shared", "-o", folder / "libstrata.so", "-Wl,--whole-archive", *others[:1], *library,
        "-Wl,--no-whole-archive", *others)
