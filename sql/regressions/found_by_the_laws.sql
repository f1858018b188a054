-- title: only the right side of a set operation changes, under other column names
CREATE TABLE t0 (a INT, b INT);
CREATE TABLE t1 (c INT);
INSERT INTO t0 VALUES (1, 1);
INSERT INTO t1 VALUES (1), (2);
-- stream: incremental
SELECT MIN(a) AS m, b FROM (SELECT MAX(a) AS a, SUM(b) AS b FROM t0 INTERSECT ALL SELECT DISTINCT c, c FROM t1) x GROUP BY b;
-- answer: 1, 1
-- change: the right side
DELETE FROM t1 WHERE c = 1;
-- answer: nothing
-- change: the left side
UPDATE t0 SET a = 2, b = 2;
-- answer: 2, 2

-- title: an aggregate of which only the row count matters, of constants
CREATE TABLE t0 (k DATE);
CREATE TABLE t1 (k INT);
INSERT INTO t0 VALUES (NULL), (DATE '2024-01-01');
-- stream: incremental
SELECT MIN(c1) AS c FROM (SELECT 5 AS c1, COUNT(*) AS n FROM t0 x HAVING SUM(2) > 3) z
EXCEPT SELECT k FROM t1;
-- answer: 5
-- change: both tables
DELETE FROM t0 WHERE k IS NULL;
INSERT INTO t1 VALUES (5);
-- answer: NULL

-- title: a constant, once per group of a key that only the group reads
CREATE TABLE t0 (k INT);
INSERT INTO t0 VALUES (1), (1), (NULL);
-- stream: incremental
SELECT 'x' AS c FROM t0 GROUP BY k UNION ALL SELECT 'y' FROM t0 HAVING TRUE;
-- answer: 'x' | 'x' | 'y'
-- change: a group goes
DELETE FROM t0 WHERE k IS NULL;
-- expect: - 'x'
-- change: all go
DELETE FROM t0;
-- expect: - 'x'

-- title: a recursion that one statement reads several times
CREATE TABLE t0 (a INT, b INT);
CREATE TABLE t1 (x INT);
INSERT INTO t0 VALUES (1, 2), (2, 3);
INSERT INTO t1 VALUES (1), (2), (5);
-- stream: incremental
SELECT x FROM t1 WHERE x NOT IN (
  WITH RECURSIVE r (c, n) AS (
    SELECT b, 0 FROM t0 WHERE a = 1 UNION ALL SELECT b, n + 1 FROM r JOIN t0 ON a = c WHERE n < 3)
  SELECT abs(c) FROM r);
-- answer: 1 | 5
-- change: the path grows
INSERT INTO t0 VALUES (3, 5);
-- expect: - 5
-- change: an unknown place, and both sides change
INSERT INTO t0 VALUES (3, NULL);
INSERT INTO t1 VALUES (7);
-- answer: nothing

-- title: a WITH inside another uses its name again
CREATE TABLE t0 (a INT, b INT);
INSERT INTO t0 VALUES (1, 5), (2, NULL);
-- stream: incremental
WITH w AS (SELECT a AS c FROM t0 UNION ALL (WITH w AS (SELECT b AS c FROM t0) SELECT c + 10 FROM w x)),
     v AS (WITH w AS (SELECT c + 100 AS c FROM w) SELECT c FROM w)
SELECT 'w' AS how, c FROM w UNION ALL SELECT 'v', c FROM v;
-- answer: 'w', 1 | 'w', 2 | 'w', 15 | 'w', NULL | 'v', 101 | 'v', 102 | 'v', 115 | 'v', NULL
-- change: both columns
UPDATE t0 SET a = 3, b = 6 WHERE a = 2;
-- expect: - 'w', 2 | 'w', NULL | 'v', 102 | 'v', NULL
-- expect: + 'w', 3 | 'w', 16 | 'v', 103 | 'v', 116

-- title: NOT NOT IN under NOT and OR, unknown
CREATE TABLE a (k INT, g INT, v INT);
CREATE TABLE b (x INT);
INSERT INTO a VALUES (1, 0, 5), (0, 2, 7);
INSERT INTO b VALUES (9);
-- stream: incremental
SELECT a.k FROM a JOIN b ON a.k = 1 WHERE NOT (b.x < 5 OR NOT a.v IN (SELECT i.v FROM a AS i WHERE i.k = a.g));
-- answer: nothing
-- change: what it is compared with is unknown
UPDATE a SET v = NULL WHERE k = 0;
INSERT INTO b VALUES (8);
-- answer: nothing
-- change: it is found
UPDATE a SET v = 5 WHERE k = 0;
DELETE FROM b WHERE x = 9;
-- answer: 1
