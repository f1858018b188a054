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
