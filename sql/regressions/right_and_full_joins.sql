-- title: a RIGHT JOIN in a subquery that borrows in ON
CREATE TABLE t1 (x INT, y INT);
CREATE TABLE t2 (x INT, y INT);
CREATE TABLE t3 (x INT);
INSERT INTO t1 VALUES (1, 1), (2, 7);
INSERT INTO t3 VALUES (5);
-- stream: incremental
SELECT x, (SELECT count(*) FROM t2 RIGHT JOIN t3 ON t2.x = t3.x AND t2.y = t1.y) AS n, (SELECT max(t2.y) FROM t2 RIGHT JOIN t3 ON t2.x = t3.x AND t2.y <= t1.y) AS most FROM t1;
-- answer: 1, 1, NULL | 2, 1, NULL
-- change: rows that match, for one of the outer values
INSERT INTO t2 VALUES (5, 1), (5, 1), (6, 7);
INSERT INTO t1 VALUES (3, NULL);
-- answer: 1, 2, 1 | 2, 1, 1 | 3, 1, NULL
-- change: the side that is kept goes
DELETE FROM t3;
UPDATE t2 SET y = 7 WHERE x = 6;
-- answer: 1, 0, NULL | 2, 0, NULL | 3, 0, NULL

-- title: a FULL JOIN in a subquery that borrows in ON
CREATE TABLE t1 (x INT, y INT);
CREATE TABLE t2 (x INT, y INT);
CREATE TABLE t3 (x INT);
INSERT INTO t1 VALUES (1, 1), (2, 7);
INSERT INTO t2 VALUES (5, 1), (6, 1);
INSERT INTO t3 VALUES (5), (8);
-- stream: incremental
SELECT x, (SELECT count(*) FROM t2 FULL JOIN t3 ON t2.x = t3.x AND t2.y = t1.y) AS n FROM t1;
-- answer: 1, 3 | 2, 4
-- change: on all sides
INSERT INTO t1 VALUES (3, NULL);
DELETE FROM t3 WHERE x = 8;
UPDATE t2 SET y = 7;
-- answer: 1, 3 | 2, 2 | 3, 3

-- title: USING behind a FULL JOIN takes the value of either side
CREATE TABLE a (x INT, v INT);
CREATE TABLE b (x INT, w INT);
CREATE TABLE c (x INT, z INT);
INSERT INTO a VALUES (1, 10);
INSERT INTO b VALUES (2, 20);
INSERT INTO c VALUES (1, 100), (2, 200), (3, 300);
-- stream: incremental
SELECT * FROM a FULL JOIN b USING (x) FULL JOIN c USING (x);
-- answer: 1, 10, NULL, 100 | 2, NULL, 20, 200 | 3, NULL, NULL, 300
-- change: the second side goes
DELETE FROM b;
INSERT INTO a VALUES (3, 30);
-- answer: 1, 10, NULL, 100 | 2, NULL, NULL, 200 | 3, 30, NULL, 300
-- change: it comes back, with a NULL
INSERT INTO b VALUES (2, 21), (NULL, 22);
DELETE FROM c WHERE x = 3;
-- answer: 1, 10, NULL, 100 | 2, NULL, 21, 200 | 3, 30, NULL, NULL | NULL, NULL, 22, NULL

-- title: NATURAL behind a RIGHT JOIN takes the value of the right side
CREATE TABLE a (x INT, v INT);
CREATE TABLE b (x INT, w INT);
CREATE TABLE c (x INT, z INT);
INSERT INTO b VALUES (2, 20);
INSERT INTO c VALUES (2, 200);
-- stream: incremental
SELECT x, v, w, z FROM a NATURAL RIGHT JOIN b NATURAL JOIN c;
-- answer: 2, NULL, 20, 200
-- change: on all sides
INSERT INTO a VALUES (2, 1), (3, 2);
INSERT INTO b VALUES (3, 30), (4, 40);
INSERT INTO c VALUES (4, 400);
-- answer: 2, 1, 20, 200 | 4, NULL, 40, 400

-- title: USING two columns behind a FULL JOIN, named in another order
-- lane: spark DuckDB leaves the columns in the order of the tables
CREATE TABLE a (x INT, y INT);
CREATE TABLE b (x INT, y INT, w INT);
CREATE TABLE c (x INT, y INT, z INT);
INSERT INTO a VALUES (1, 5);
INSERT INTO b VALUES (2, 6, 20);
INSERT INTO c VALUES (2, 6, 200), (1, 5, 100);
-- stream: incremental
SELECT * FROM a FULL JOIN b USING (x, y) FULL JOIN c USING (y, x);
-- change: both sides of both
DELETE FROM a;
INSERT INTO b VALUES (1, 5, 10);
-- change: and back
INSERT INTO a VALUES (1, 5), (NULL, 1);
DELETE FROM c WHERE x = 2;

-- title: LAG without NULLs among equals
CREATE TABLE t (at INT, v INT, g INT);
INSERT INTO t VALUES (1, NULL, 1), (2, 3, 1), (3, 4, 2);
-- stream: incremental
SELECT g, at, v, LAG(v) IGNORE NULLS OVER (PARTITION BY g ORDER BY at, v) AS l FROM t;
-- answer: 1, 1, NULL, NULL | 1, 2, 3, NULL | 2, 3, 4, NULL
-- change: behind a NULL
INSERT INTO t VALUES (4, NULL, 1), (5, 6, 1);
UPDATE t SET g = 1 WHERE g = 2;
-- answer: 1, 1, NULL, NULL | 1, 2, 3, NULL | 1, 3, 4, 3 | 1, 4, NULL, 4 | 1, 5, 6, 4
