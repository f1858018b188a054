"""Finding Java among folders that look like Java."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from streamtables.errors import JavaMissing
from streamtables.spark.java import find_java, java_version, main

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def _bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))


def java(home: Path, version: str, *, release: bool = True) -> Path:
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
    program.chmod(0o755)
    if release:
        (home / "release").write_text(f'IMPLEMENTOR="x"\nJAVA_VERSION="{version}"\n')
    return home


def test_the_suited_one_among_many(tmp_path: Path) -> None:
    java(tmp_path / "jvm" / "a-25", "25")
    java(tmp_path / "jvm" / "b-11", "11.0.2")
    home = java(tmp_path / "jvm" / "c-21", "21.0.4")
    assert find_java([f"{tmp_path}/jvm/*"]) == home


def test_java_home_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java(tmp_path / "jvm" / "17", "17.0.1")
    own = java(tmp_path / "own", "21")
    monkeypatch.setenv("JAVA_HOME", str(own))
    assert find_java([f"{tmp_path}/jvm/*"]) == own


def test_java_home_that_does_not_suit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    suited = java(tmp_path / "jvm" / "17", "17.0.1")
    monkeypatch.setenv("JAVA_HOME", str(java(tmp_path / "own", "25")))
    assert find_java([f"{tmp_path}/jvm/*"]) == suited


def test_java_on_the_path(tmp_path: Path) -> None:
    home = java(tmp_path / "jvm" / "17", "17.0.1")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "java").symlink_to(home / "bin" / "java")
    assert find_java([]) == home


@pytest.mark.parametrize(
    ("text", "version"), [("17.0.15", 17), ("1.8.0_392", 8), ("25", 25), ("21-ea", 21)]
)
@pytest.mark.parametrize("release", [True, False])
def test_versions(tmp_path: Path, text: str, version: int, release: bool) -> None:
    assert java_version(java(tmp_path / "home", text, release=release)) == version


def test_a_folder_without_java(tmp_path: Path) -> None:
    assert java_version(tmp_path) is None


def test_missing_names_what_was_found(tmp_path: Path) -> None:
    java(tmp_path / "jvm" / "25", "25")
    java(tmp_path / "jvm" / "11", "11")
    with pytest.raises(JavaMissing, match=r"found only Java 11, 25\. Install it: .*adoptium"):
        find_java([f"{tmp_path}/jvm/*"])


@pytest.mark.parametrize(
    ("tool", "line"),
    [("dnf", "dnf install java-17"), ("brew", "brew install openjdk@17"), ("apk", "apk add")],
)
def test_how_to_get_it_here(tmp_path: Path, tool: str, line: str) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / tool).touch(mode=0o755)
    with pytest.raises(JavaMissing, match="found none") as caught:
        find_java([])
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


def test_debian_package_that_exists(tmp_path: Path) -> None:
    """Debian 13 has Java 21 but not 17."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "apt-get").touch(mode=0o755)
    cache = tmp_path / "bin" / "apt-cache"
    cache.write_text('#!/bin/sh\ncase "$2" in *-21-*) exit 0;; esac\nexit 100\n')
    cache.chmod(0o755)
    with pytest.raises(JavaMissing, match="apt-get install openjdk-21-jre-headless"):
        find_java([])


def test_the_check_is_silent_when_all_is_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(java(tmp_path / "own", "17.0.1")))
    assert main([]) == 0
    assert capsys.readouterr() == ("", "")


def test_the_check_as_a_command(tmp_path: Path) -> None:
    """Asked without a terminal, it installs nothing and says its line or is silent."""
    done = subprocess.run(
        [sys.executable, "-m", "streamtables.spark.java", "--offer-install"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == done.returncode
