"""Finding a Java that Spark runs on, or saying in one line how to get one."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from streamtables.errors import JavaMissing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SUITED = (17, 21)

_PLACES = (
    "/usr/lib/jvm/*",
    "/usr/java/*",
    "/opt/java/*",
    "/opt/*j[dr][ek]*",
    "/Library/Java/JavaVirtualMachines/*/Contents/Home",
    "/opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home",
    "/usr/local/opt/openjdk*/libexec/openjdk.jdk/Contents/Home",
    "~/Library/Java/JavaVirtualMachines/*/Contents/Home",
    "~/.sdkman/candidates/java/*",
    "~/.asdf/installs/java/*",
    "~/.jdks/*",
)

_INSTALL = {
    "dnf": "sudo dnf install java-17-openjdk-headless",
    "yum": "sudo yum install java-17-openjdk-headless",
    "zypper": "sudo zypper install java-17-openjdk-headless",
    "apk": "sudo apk add openjdk17-jre-headless",
    "pacman": "sudo pacman -S jre17-openjdk-headless",
    "brew": "brew install openjdk@17",
}


def find_java(places: Sequence[str] = _PLACES) -> Path:
    """The home of a Java 17 or 21: `JAVA_HOME` first, then the PATH, then the usual places."""
    others = set()
    for home in _candidates(places):
        version = java_version(home)
        if version in SUITED:
            return home
        if version:
            others.add(version)
    found = f"found only Java {', '.join(map(str, sorted(others)))}" if others else "found none"
    raise JavaMissing(
        f"Spark needs Java 17 or 21 and {found}", hint=f"Install it: {install_command()}"
    )


def java_version(home: Path) -> int | None:
    """The major version of the Java in a folder, or None where there is none."""
    java = home / "bin" / "java"
    if not java.is_file():
        return None
    release = home / "release"
    if release.is_file():
        text = release.read_text(encoding="utf-8", errors="replace")
        found = re.search(r'JAVA_VERSION="(?:1\.)?(\d+)', text)
    else:
        found = re.search(r'version "(?:1\.)?(\d+)', _ask(java))
    return int(found[1]) if found else None


def install_command() -> str:
    """How to get Java on this system, in one line."""
    if shutil.which("apt-get"):
        return f"sudo apt-get install {_debian_package()}"
    known = (line for tool, line in _INSTALL.items() if shutil.which(tool))
    return next(known, "see https://adoptium.net, and set JAVA_HOME")


def _candidates(places: Sequence[str]) -> Iterator[Path]:
    if os.environ.get("JAVA_HOME"):
        yield Path(os.environ["JAVA_HOME"])
    on_path = shutil.which("java")
    if on_path:
        yield Path(on_path).resolve().parent.parent
    for place in places:
        pattern = Path(place).expanduser()
        yield from sorted(Path(pattern.anchor).glob(str(pattern.relative_to(pattern.anchor))))


def _ask(java: Path) -> str:
    try:
        answer = subprocess.run(
            [java, "-version"], capture_output=True, text=True, timeout=20, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return answer.stderr


def _debian_package() -> str:
    """The newest Debian has no Java 17, older ones no Java 21."""
    names = [f"openjdk-{version}-jre-headless" for version in SUITED]
    for name in names:
        shown = subprocess.run(["apt-cache", "show", name], capture_output=True, check=False)
        if shown.returncode == 0:
            return name
    return names[0]


def _offer_install() -> bool:
    """Install Java from Debian's packages, if root and the user at the terminal says yes."""
    if platform.system() != "Linux" or not shutil.which("apt-get") or os.geteuid() != 0:
        return False
    command = ["apt-get", "install", "-y", "--no-install-recommends", _debian_package()]
    if os.environ.get("ASSUME_YES") != "1":
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            return False
        sys.stderr.write(f"Spark needs Java 17 or 21. Run `{' '.join(command)}` now? [Y/n] ")
        sys.stderr.flush()
        if input().strip().lower() not in ("", "y", "yes"):
            return False
    subprocess.run(["apt-get", "update", "-q"], stdout=sys.stderr, check=False)
    return subprocess.run(command, stdout=sys.stderr, check=False).returncode == 0


def main(arguments: Sequence[str]) -> int:
    """Say nothing if there is a usable Java, else how to get one (`--offer-install`: get it)."""
    try:
        find_java()
    except JavaMissing as missing:
        if "--offer-install" in arguments and _offer_install():
            return main([])
        sys.stderr.write(f"{missing}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
