"""Delta Lake's JARs in the cache, without a network."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from streamtables.errors import SessionLacks
from streamtables.spark import jars


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("STREAMTABLES_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path / "cache"


class Ivy:
    """Stands in for Ivy: makes files named as Ivy names them, and counts."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.calls = 0

    def __call__(self, coordinates: list[str]) -> list[Path]:
        self.calls += 1
        return [self.file(*coordinate.split(":")) for coordinate in coordinates]

    def file(self, group: str, artifact: str, version: str) -> Path:
        path = self.folder / f"{group}_{artifact}-{version}.jar"
        path.write_text(artifact)
        return path


@pytest.fixture
def ivy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ivy:
    ivy = Ivy(tmp_path)
    monkeypatch.setattr(jars, "_resolve", ivy)
    return ivy


def test_fetched_once(ivy: Ivy, cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = jars.delta_jars()
    assert jars.delta_jars() == first
    assert ivy.calls == 1
    assert [jar.read_text() for jar in first] == list(jars.ARTIFACTS)
    assert {jar.parent for jar in first} == {cache / "jars" / "delta-spark_4.2_2.13-4.4.0"}
    assert capsys.readouterr().err == "Fetching Delta Lake 4.4.0 (once) …\n"
    assert {path for path in first[0].parent.iterdir() if path.name != ".lock"} == set(first)


def test_a_jar_that_went_missing_is_fetched_again(ivy: Ivy) -> None:
    jars.delta_jars()[1].unlink()
    assert all(jar.is_file() for jar in jars.delta_jars())
    assert ivy.calls == 2


def test_two_at_once_fetch_once(ivy: Ivy) -> None:
    threads = [threading.Thread(target=jars.delta_jars) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ivy.calls == 1


def test_jars_put_there_by_hand(cache: Path) -> None:
    folder = cache / "jars" / "delta-spark_4.2_2.13-4.4.0"
    folder.mkdir(parents=True)
    for artifact in jars.ARTIFACTS:
        (folder / f"{artifact}-4.4.0.jar").touch()
    assert len(jars.delta_jars()) == len(jars.ARTIFACTS)


def test_another_version_does_not_count(ivy: Ivy, cache: Path) -> None:
    folder = cache / "jars" / "delta-spark_4.2_2.13-4.4.0"
    folder.mkdir(parents=True)
    for artifact in jars.ARTIFACTS:
        (folder / f"{artifact}-4.3.0.jar").touch()
    jars.delta_jars()
    assert ivy.calls == 1


def test_no_network(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def resolve(_: list[str]) -> list[Path]:
        raise RuntimeError("unresolved dependency\nand a long report")

    monkeypatch.setattr(jars, "_resolve", resolve)
    with pytest.raises(SessionLacks) as caught:
        jars.delta_jars()
    message = str(caught.value)
    assert "could not be fetched: unresolved dependency. " in message
    assert "delta-storage-4.4.0.jar" in message
    assert str(cache / "jars") in message
    assert "\n" not in message


def test_cache_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STREAMTABLES_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert jars.cache_folder() == Path("/somewhere/streamtables")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert jars.cache_folder() == Path.home() / ".cache" / "streamtables"


def test_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example:3128")
    assert jars._proxy_options() == "-Dhttps.proxyHost=proxy.example -Dhttps.proxyPort=3128"


def test_mirror_of_the_users_maven(tmp_path: Path) -> None:
    assert jars._maven_mirror() is None
    (tmp_path / "home" / ".m2").mkdir(parents=True)
    (tmp_path / "home" / ".m2" / "settings.xml").write_text(
        '<settings xmlns="http://maven.apache.org/SETTINGS/1.2.0"><mirrors>'
        "<mirror><mirrorOf>plugins</mirrorOf><url>https://no.example</url></mirror>"
        "<mirror><mirrorOf>*,!own</mirrorOf><url>https://yes.example</url></mirror>"
        "</mirrors></settings>"
    )
    assert jars._maven_mirror() == "https://yes.example"
