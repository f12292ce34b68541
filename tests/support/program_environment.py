"""What programs under test inherit from whoever runs the tests."""
import os


def kept_environment():
    """The path and the options of sanitizers; nothing else that could change what programs do."""
    names = ("PATH", "ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS")
    return {name: os.environ[name] for name in names if name in os.environ}
