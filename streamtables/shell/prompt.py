"""The conversation: takes commands, answers in lines; knows no terminal."""

from __future__ import annotations

import time
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from streamtables.shell.epoch import Epoch, TableChange
from streamtables.shell.grammar import VERBS

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from streamtables.api import StreamTables
    from streamtables.shell.grammar import Command

HELP = """\
INSERT, UPDATE, DELETE, MERGE, TRUNCATE   wait until you write COMMIT
commit       run what waits, refresh all stream tables, show the change of each
rollback     forget what waits            pending   show what waits
list, status, doctor, refresh, lineage    of all stream tables; refresh t and lineage t of one, as are
history t, explain t, verify t, changes t, pause t, resume t, reinitialize t
CREATE STREAM TABLE t SCHEDULE '5m' AS …  and any other SQL, ended by a semicolon
quit         leave (also Ctrl-D)"""

# fmt: off
_KEYWORDS = (
    "ALL", "ALTER", "AND", "AS", "BY", "CHANGES", "COMMIT", "CREATE", "DELETE", "DISTINCT", "DROP", "EXCEPT", "EXPLAIN",
    "FROM", "GROUP", "HAVING", "HELP", "HISTORY", "INSERT", "INTERSECT", "INTO", "JOIN", "LEFT", "LIMIT", "MERGE",
    "NOT", "NULL", "OF", "ON", "OR", "ORDER", "PAUSE", "PENDING", "QUIT", "REFRESH", "REFRESH_MODE", "RESUME",
    "ROLLBACK", "SCHEDULE", "SELECT", "SET", "SHOW", "STREAM", "TABLE", "UNION", "UPDATE", "USING", "VALUES", "VERIFY",
    "WHERE",
)
# fmt: on


class Conversation:
    """What the prompt does with commands; `say` takes text, `show` an answer of the API, once `working` is over."""

    def __init__(
        self,
        st: StreamTables,
        say: Callable[[str], None],
        show: Callable[[Any], None],
        working: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self._st = st
        self._epoch = Epoch(st)
        self._say = say
        self._show = show
        self._working = working

    @property
    def pending_count(self) -> int:
        """How many statements wait."""
        return len(self._epoch.pending)

    def take(self, command: Command) -> bool:
        """Do a command; whether the conversation goes on."""
        if command.kind == "change":
            self._epoch.add(command.text, str(command.name))
        elif command.kind == "commit":
            self._commit()
        elif command.kind == "rollback":
            self._say(f"{self._epoch.rollback()} statements forgotten")
        elif command.kind == "pending":
            self._say("\n".join(f"{text};" for text in self._epoch.pending) or "Nothing waits")
        elif command.kind == "help":
            self._say(HELP)
        elif command.kind in ("verb", "sql"):
            with self._working():
                answer = self._answer(command)
            self._show(answer)
        return command.kind != "quit"

    def words(self) -> list[str]:
        """What can be completed: SQL, the verbs, tables and their columns."""
        names: set[str] = set()
        for table in self._st.list():
            names |= {str(table.name), *(column.name for column in table.columns)}
            for source in table.sources:
                names |= {str(source.name), *(column.name for column in source.columns)}
        return sorted({*_KEYWORDS, *map(str.upper, VERBS)} | names, key=str.lower)

    def _answer(self, command: Command) -> Any:
        if command.kind == "sql":
            return self._st.sql(command.text)
        arguments = [] if command.name is None else [command.name]
        return getattr(self._st, command.text)(*arguments)

    def _commit(self) -> None:
        begin = time.perf_counter()
        for news in self._epoch.commit():
            if isinstance(news, TableChange):
                self._say("\n".join(news.lines))
            else:
                self._say(f"{news};")
        self._say(f"committed in {time.perf_counter() - begin:.2f} s")
