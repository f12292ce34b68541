"""Push and pull with a folder, as other remotes."""

import pytest
import strata
from conftest import equal, tuned_model


def test_pushes_and_pulls(filled, tmp_path):
    remote = tmp_path / "remote"
    remote.mkdir()
    sent = filled.push("tuned", remote)
    assert sorted(sent.pushed) == ["base:v1", "tuned:v1"] and sent.sent_bytes > 0
    assert filled.push(remote=str(remote)).already_there
    with strata.Store(tmp_path / "other", create=True) as other:
        assert other.pull("tuned", remote, dry_run=True).pulled and other.versions() == []
        assert sorted(other.pull(remote=remote).pulled) == ["base:v1", "tuned:v1"]
        assert equal(other.load("tuned"), tuned_model())


@pytest.fixture
def lazy(filled, tmp_path):
    """A store that has pulled all versions, and no weights."""
    (tmp_path / "remote").mkdir()
    filled.push(remote=tmp_path / "remote")
    with strata.Store(tmp_path / "other", create=True) as other:
        other.pull(remote=tmp_path / "remote", lazy=True)
        yield other


def test_a_lazy_pull_leaves_the_weights_for_later(lazy):
    assert all(one.awaited_bytes > 0 for one in lazy.versions())
    assert equal(lazy.load("tuned"), tuned_model())
    assert all(one.awaited_bytes == 0 for one in lazy.versions())


def test_restoring_fetches_what_a_lazy_pull_left_out(lazy, filled, tmp_path):
    lazy.restore("tuned", tmp_path / "here")
    filled.restore("tuned", tmp_path / "there")
    assert (tmp_path / "here").read_bytes() == (tmp_path / "there").read_bytes()


def test_a_lazy_version_whose_remote_is_gone(lazy, tmp_path):
    (tmp_path / "remote").rename(tmp_path / "away")
    with pytest.raises(strata.Error, match="remote"):
        lazy.load("tuned")
    (tmp_path / "away").rename(tmp_path / "remote")
    assert equal(lazy.load("tuned"), tuned_model())


def test_a_remote_that_is_not_there(filled, tmp_path):
    with pytest.raises(strata.NotFoundError):
        filled.push("tuned", "unheard-of")
    with pytest.raises(strata.Error):
        filled.push("tuned")
    with pytest.raises(strata.NotFoundError):
        filled.push("nothing", tmp_path)
