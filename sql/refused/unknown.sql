-- title: a table that is not there
-- lane: spark only a catalog knows which tables there are
CREATE TABLE t (a INT);
-- stream: refused UnknownTable
SELECT a FROM nowhere;
-- error: nowhere

-- title: a column that is not there, with its place
CREATE TABLE t (a INT);
-- stream: refused UnknownColumn
SELECT a,
  wrong FROM t;
-- error: wrong @ 2:3

-- title: a column that another table has
CREATE TABLE t (a INT);
CREATE TABLE u (b INT);
-- stream: refused UnknownColumn
SELECT t.b FROM t JOIN u ON t.a = u.b;
-- error: b

-- title: a column that two tables have
CREATE TABLE t (a INT, k INT);
CREATE TABLE u (a INT, k INT);
-- stream: refused UnknownColumn
SELECT a FROM t JOIN u ON t.k = u.k;
-- error: more than one table @ 1:8

-- title: two columns of one name
-- lane: spark it says what the answer's columns are
CREATE TABLE t (a INT, b INT);
-- stream: refused RepeatedColumn
SELECT a, b AS A FROM t;
-- error: more than one column named a

-- title: two columns of one name by a star
-- lane: spark it says what the answer's columns are
CREATE TABLE t (a INT, k INT);
CREATE TABLE u (b INT, k INT);
-- stream: refused RepeatedColumn
SELECT * FROM t JOIN u ON t.k = u.k;
-- error: named k
