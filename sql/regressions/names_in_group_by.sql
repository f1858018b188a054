-- title: a key that reads the name of a constant
-- lane: spark DuckDB has no names inside keys
CREATE TABLE t (x INT);
INSERT INTO t VALUES (1), (2), (4), (NULL);
-- stream: incremental
SELECT 2 AS lit, count(*) AS n FROM t GROUP BY x % lit;
-- answer: 2, 1 | 2, 2 | 2, 1
-- change: a group grows, another goes
INSERT INTO t VALUES (6);
DELETE FROM t WHERE x IS NULL;
-- answer: 2, 1 | 2, 3

-- title: the name of a constant alone is a key
CREATE TABLE t (x INT);
INSERT INTO t VALUES (1), (2);
-- stream: incremental
SELECT 2 AS lit, count(*) AS n FROM t GROUP BY lit;
-- answer: 2, 2
-- change: all go
DELETE FROM t;
-- answer: nothing

-- title: GROUP BY ALL where a column is called so
-- lane: spark to DuckDB ALL is never a column
CREATE TABLE t (x INT, `all` INT);
INSERT INTO t VALUES (1, 1), (2, 1), (3, 2);
-- stream: incremental
SELECT min(x) AS least, count(*) AS n FROM t GROUP BY all;
-- answer: 1, 2 | 3, 1
-- change: both groups
UPDATE t SET `all` = 2 WHERE x = 1;
-- answer: 2, 1 | 1, 2
