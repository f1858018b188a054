-- title: a syntax error, with its place
CREATE TABLE t (a INT);
-- stream: refused InvalidQuery
SELECT a
FROM t WHERE a = = 1;
-- error: does not parse

-- title: an unfinished query
CREATE TABLE t (a INT);
-- stream: refused InvalidQuery
SELECT a FROM (SELECT a FROM t;
-- error: does not parse

-- title: an empty query
-- stream: refused InvalidQuery
-- only a comment
-- error: empty

-- title: two statements
CREATE TABLE t (a INT);
-- stream: refused InvalidQuery
SELECT a FROM t; DROP TABLE t;
-- error: 2 statements

-- title: INSERT instead of a query
CREATE TABLE t (a INT);
-- stream: refused InvalidQuery
INSERT INTO t VALUES (1);
-- error: INSERT is not a query

-- title: DROP instead of a query
CREATE TABLE t (a INT);
-- stream: refused InvalidQuery
DROP TABLE t;
-- error: not a query

-- title: a name that is computed
CREATE TABLE a (id INT);
-- stream: refused COMPUTED_NAME
SELECT IDENTIFIER('id') FROM a;
-- error: IDENTIFIER() @ 1:8
