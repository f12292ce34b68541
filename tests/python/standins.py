"""Stands in for torch.distributed and its checkpoints, as far as the package calls them."""

import pathlib
import threading
import types

from conftest import root

_DATA = root() / "tests" / "data" / "pytorch" / "2.15" / "dcp"


class FileSystemWriter:
    """As that of torch 2: the steps that StorageWriter documents, for one rank."""

    def __init__(self, path, single_file_per_rank=True):
        self.path = pathlib.Path(path)

    def reset(self, checkpoint_id=None):
        if checkpoint_id:
            self.path = pathlib.Path(checkpoint_id)

    def set_up_storage_writer(self, is_coordinator, *args, **kwargs):
        pass

    def prepare_local_plan(self, plan):
        self.path.mkdir(parents=True, exist_ok=True)
        return plan

    def write_data(self, mark):
        shard = bytearray((_DATA / "__0_0.distcp").read_bytes())
        shard += mark.encode()  # another content for each save
        (self.path / "__0_0.distcp").write_bytes(shard)
        (self.path / "__1_0.distcp").write_bytes(b"")  # of a rank that has nothing to write

    def finish(self, metadata, results):
        (self.path / ".metadata").write_bytes((_DATA / ".metadata").read_bytes())


class FileSystemReader:
    def __init__(self, path):
        self.path = pathlib.Path(path)

    def reset(self, checkpoint_id=None):
        pass


class Group:
    """A torch.distributed whose ranks are threads."""

    def __init__(self, size=1, is_on=True):
        self._size = size
        self._is_on = is_on
        self._own = threading.local()
        self._given = [None] * size
        self._all_here = threading.Barrier(size, timeout=60)

    def is_available(self):
        return True

    def is_initialized(self):
        return self._is_on

    def get_rank(self, group=None):
        return self._own.rank

    def get_world_size(self, group=None):
        return self._size

    def all_gather_object(self, told, own, group=None):
        self._given[self._own.rank] = own
        self._all_here.wait()
        told[:] = self._given
        self._all_here.wait()

    def run(self, work):
        """What `work(rank)` answers or raises on each rank."""
        found = [None] * self._size

        def one(rank):
            self._own.rank = rank
            try:
                found[rank] = work(rank)
            except Exception as error:
                found[rank] = error

        threads = [threading.Thread(target=one, args=(rank,)) for rank in range(self._size)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return found


def modules(group):
    """What to put into sys.modules."""
    checkpoint = types.SimpleNamespace(
        FileSystemReader=FileSystemReader, FileSystemWriter=FileSystemWriter
    )
    planner = types.SimpleNamespace(LoadItemType=None)
    metadata = types.SimpleNamespace(TensorStorageMetadata=None)
    functions = {name: getattr(group, name) for name in dir(Group) if name[0] != "_"}
    distributed = types.SimpleNamespace(checkpoint=checkpoint, **functions)
    return {
        "torch": types.SimpleNamespace(distributed=distributed, dtype=None),
        "torch.distributed": distributed,
        "torch.distributed.checkpoint": checkpoint,
        "torch.distributed.checkpoint.metadata": metadata,
        "torch.distributed.checkpoint.planner": planner,
    }


def save(writer, mark, checkpoint_id=None, **setting):
    """As dcp.save() calls a writer, for one rank."""
    writer.reset(checkpoint_id)
    writer.set_up_storage_writer(True, **setting)
    writer.prepare_local_plan(None)
    writer.write_data(mark)
    writer.finish(None, [[]])
