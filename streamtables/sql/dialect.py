"""Spark SQL as sqlglot reads it for us: functions stay exactly as the analyst wrote them.

sqlglot's own Spark dialect understands hundreds of functions and writes them back in its own words: `to_timestamp(x)`
becomes a CAST, `listagg(x)` gets a comma. A query that is maintained must mean the same to the letter, so here only the
aggregates that the rules treat by name are understood, and the functions whose arguments have a syntax of their own;
every other function is a name with arguments.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Any, ClassVar

import sqlglot.parser
from sqlglot import TokenType, exp
from sqlglot.dialects.spark import Spark

from streamtables.errors import PackageConflict

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlglot import Token

# ARRAY is understood because sqlglot takes `array(1, 2)[0]` for a constructor of another dialect otherwise.
_UNDERSTOOD = ("SUM", "COUNT", "AVG", "MIN", "MAX", "ARRAY")
_OWN_SYNTAX = ("CAST", "TRY_CAST", "EXTRACT", "TRIM", "OVERLAY", "SUBSTRING", "SUBSTR", "POSITION")
_WITHOUT_PARENTHESES = ("CASE",)
# What the alias of a CTE remembers: the number of MAX RECURSION LEVEL.
MOST_LEVELS = "most_levels"
# Their first argument of three is a unit, such as DAY, which is no column.
_OF_UNITS = (
    "DATEADD",
    "DATEDIFF",
    "DATE_ADD",
    "DATE_DIFF",
    "TIMEDIFF",
    "TIMESTAMPADD",
    "TIMESTAMPDIFF",
)


def require_interpreted(file: str | None) -> None:
    """Refuse sqlglot's compiled parser: Python lets nobody make a dialect of it."""
    if not (file or "").endswith((".py", ".pyc")):
        raise PackageConflict(
            "sqlglot is compiled here (the package sqlglotc), and its compiled parser takes no other dialect",
            hint="Run `pip uninstall sqlglotc`; sqlglot itself stays.",
        )


require_interpreted(sqlglot.parser.__file__)


def _over_units(name: str) -> Callable[[Any], exp.Expr]:
    def parse(parser: Any) -> exp.Expr:
        arguments = parser._parse_csv(parser._parse_disjunction)
        first = arguments[0] if len(arguments) == 3 else None
        if isinstance(first, exp.Column) and not first.table:
            arguments[0] = exp.Var(this=first.name)
        return exp.Anonymous(this=name, expressions=arguments)

    return parse


def _word(tree: exp.Expr | None) -> exp.Expr | None:
    """The name of a collation, which is no column."""
    if isinstance(tree, exp.Column):
        return exp.var(".".join(part.name for part in tree.parts))
    return tree


def _step(part: exp.JSONPathPart) -> str:
    """A part of a path into a variant."""
    return f"['{part.name}']" if isinstance(part, exp.JSONPathKey) else f"[{part.this}]"


class DeepParser(Spark.Parser):  # type: ignore[misc, valid-type]
    """The parser of Spark SQL that knows MAX RECURSION LEVEL, and any expression in ROLLUP, CUBE and GROUPING SETS."""

    def _parse_table_alias(self, *args: Any, **options: Any) -> exp.TableAlias | None:
        """An alias; behind that of a CTE may stand how deep it recurs at most."""
        alias: exp.TableAlias | None = super()._parse_table_alias(*args, **options)
        if alias is not None and self._match_text_seq("MAX", "RECURSION", "LEVEL"):
            alias.meta[MOST_LEVELS] = self._parse_number()
        return alias

    def _parse_cube_or_rollup(self, with_prefix: bool = False) -> exp.Expr | None:
        if with_prefix or not self._match_set((TokenType.CUBE, TokenType.ROLLUP)):
            found: exp.Expr | None = super()._parse_cube_or_rollup(with_prefix)
            return found
        kind = exp.Cube if self._prev.token_type == TokenType.CUBE else exp.Rollup
        return kind(expressions=self._parse_wrapped_csv(self._parse_disjunction))

    def _parse_grouping_set(self) -> exp.Expr | None:
        found: exp.Expr | None = self._parse_grouping_sets() or self._parse_cube_or_rollup()
        return found or self._parse_disjunction()


class Exact(Spark):
    """Spark SQL with functions kept verbatim."""

    class Tokenizer(Spark.Tokenizer):
        """The tokenizer of Spark SQL in which a doubled quote inside a string is a quote, as Spark 4 has it."""

        STRING_ESCAPES: ClassVar = ["\\", "'", '"']

        def tokenize(self, sql: str) -> list[Token]:
            """The tokens; but for `WINDOW w AS`, WINDOW is a name: a function's, or a column's."""
            tokens = super().tokenize(sql)
            for token, after in zip_longest(tokens, tokens[2:]):
                is_clause = after is not None and after.token_type == TokenType.ALIAS
                if token.token_type == TokenType.WINDOW and not is_clause:
                    token.token_type = TokenType.VAR
            return tokens

    class Parser(DeepParser):
        """The parser of Spark SQL that understands no function it need not."""

        FUNCTIONS: ClassVar = {name: Spark.Parser.FUNCTIONS[name] for name in _UNDERSTOOD}
        FUNCTION_PARSERS: ClassVar = {
            **{name: Spark.Parser.FUNCTION_PARSERS[name] for name in _OWN_SYNTAX},
            **{name: _over_units(name) for name in _OF_UNITS},
        }
        # LEFT JOIN LATERAL f(x) drops a row of which nothing is made, with ON TRUE it does not.
        ADD_JOIN_ON_TRUE = False
        COLON_IS_VARIANT_EXTRACT = True
        NO_PAREN_FUNCTION_PARSERS: ClassVar = {
            name: Spark.Parser.NO_PAREN_FUNCTION_PARSERS[name] for name in _WITHOUT_PARENTHESES
        }

        def _build_json_extract(
            self, this: exp.Expr | None, path_parts: list[exp.JSONPathPart]
        ) -> tuple[exp.Expr | None, list[exp.JSONPathPart]]:
            """`v:a.b` is `variant_get(v, '$.a.b')`."""
            if len(path_parts) < 2:
                return this, path_parts
            steps = "".join(map(_step, path_parts[1:]))
            arguments = [this, exp.Literal.string(f"${steps}"), exp.Literal.string("variant")]
            return exp.Anonymous(this="variant_get", expressions=arguments), path_parts[:1]

        def _normalize_collate(self, collate: exp.Collate) -> None:
            collate.set("expression", _word(collate.expression))

        def _parse_types(self, *args: Any, **options: Any) -> exp.Expr | None:
            """A type, its collation's name no column."""
            tree: exp.Expr | None = super()._parse_types(*args, **options)
            if isinstance(tree, exp.DataType) and tree.args.get("collate"):
                tree.set("collate", _word(tree.args["collate"]))
            return tree

        def _parse_pivot_aggregation(self) -> exp.Expr | None:
            """Any expression over aggregates, not a call alone."""
            tree: exp.Expr | None = self._parse_bitwise()
            if not self._match(TokenType.FOR, advance=False):
                tree = self._parse_alias(tree)
            return tree

    class Generator(Spark.Generator):  # type: ignore[misc, valid-type]
        """The writer of Spark SQL that leaves each WITH where it stands.

        sqlglot would move them all to the front, where those of one recursion that is read twice meet under one name.
        """

        EXPRESSIONS_WITHOUT_NESTED_CTES: ClassVar[set[type[exp.Expr]]] = set()

        def tablealias_sql(self, expression: exp.TableAlias) -> str:
            """An alias, and how deep its CTE recurs at most."""
            levels = expression.meta.get(MOST_LEVELS)
            text = super().tablealias_sql(expression)
            return f"{text} MAX RECURSION LEVEL {self.sql(levels)}" if levels else text
