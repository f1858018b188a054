-- title: random numbers
CREATE TABLE t (a INT);
-- stream: refused NON_DETERMINISTIC
SELECT a, rand() AS r FROM t;
-- error: rand() @ 1:11

-- title: a random number deep in a query
CREATE TABLE t (a INT);
-- stream: refused NON_DETERMINISTIC
SELECT a FROM t WHERE a IN (SELECT a FROM t
  WHERE uuid() > 'a');
-- error: uuid() @ 2:9

-- title: a number per row that storage decides
CREATE TABLE t (a INT);
-- stream: refused NON_DETERMINISTIC
SELECT a, MONOTONICALLY_INCREASING_ID() AS id FROM t;
-- error: monotonically_increasing_id()

-- title: who asks
CREATE TABLE t (a INT);
-- stream: refused SESSION_DEPENDENT
SELECT a, current_user() AS who FROM t;
-- error: current_user

-- title: where one is
CREATE TABLE t (a INT);
-- stream: refused SESSION_DEPENDENT
SELECT a FROM t WHERE current_database() = 'x';
-- error: current_database

-- title: a sample of rows
CREATE TABLE t (a INT);
-- stream: refused NON_DETERMINISTIC
SELECT a FROM t TABLESAMPLE (10 PERCENT);
-- error: TABLESAMPLE

-- title: a fixed version of a table
CREATE TABLE t (a INT);
-- stream: refused PINNED_SOURCE
SELECT a FROM t VERSION AS OF 0;
-- error: fixed version
