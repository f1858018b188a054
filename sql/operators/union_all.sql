-- title: trap D8: UNION ALL of one table with itself
CREATE TABLE a (x INT);
INSERT INTO a VALUES (1);
-- stream: incremental
SELECT x FROM a UNION ALL SELECT x FROM a;
-- answer: 1 | 1
-- change: another instead
INSERT INTO a VALUES (2);
DELETE FROM a WHERE x = 1;
-- answer: 2 | 2

-- title: both inputs change at once, and equal rows add up
CREATE TABLE a (x INT);
CREATE TABLE b (y INT);
INSERT INTO a VALUES (1), (NULL);
INSERT INTO b VALUES (1), (NULL), (NULL);
-- stream: incremental
SELECT x FROM a UNION ALL SELECT y FROM b;
-- answer: 1 | 1 | NULL | NULL | NULL
-- change: one leaves here and comes there
DELETE FROM a WHERE x = 1;
INSERT INTO b VALUES (1);
-- expect: nothing
-- change: NULLs leave both
DELETE FROM a WHERE x IS NULL;
DELETE FROM b WHERE y IS NULL;
-- expect: - NULL | NULL | NULL

-- title: four inputs, two of them of one table, different columns by position
CREATE TABLE a (x INT, s STRING);
CREATE TABLE b (p STRING, q INT);
INSERT INTO a VALUES (1, 'a');
-- stream: incremental
SELECT x, s FROM a UNION ALL SELECT q, p FROM b UNION ALL SELECT x + 1, s FROM a WHERE x > 0 UNION ALL SELECT 0, 'end';
-- change: both fill
INSERT INTO a VALUES (-1, NULL);
INSERT INTO b VALUES ('b', 2), (NULL, NULL);
-- answer: 1, 'a' | -1, NULL | 2, 'b' | NULL, NULL | 2, 'a' | 0, 'end'
-- change: both empty
DELETE FROM a;
DELETE FROM b;
-- answer: 0, 'end'

-- title: numbers of different types meet in the wider one
CREATE TABLE a (x INT);
CREATE TABLE b (y BIGINT);
CREATE TABLE c (z DECIMAL(12,2));
INSERT INTO a VALUES (1);
INSERT INTO b VALUES (5000000000);
INSERT INTO c VALUES (1.00), (1.25);
-- stream: incremental
SELECT x FROM a UNION ALL SELECT y FROM b UNION ALL SELECT z FROM c;
-- change: all of them
DELETE FROM a;
INSERT INTO b VALUES (1);
UPDATE c SET z = 1.50 WHERE z = 1.25;
-- answer: 1 | 5000000000 | 1 | 1.5

-- title: UNION ALL below a join and an aggregate
CREATE TABLE a (k INT, v INT);
CREATE TABLE b (k INT, v INT);
CREATE TABLE names (k INT, name STRING);
INSERT INTO a VALUES (1, 10), (2, 1);
INSERT INTO b VALUES (1, 5);
INSERT INTO names VALUES (1, 'one'), (2, 'two');
-- stream: incremental
SELECT name, sum(v) AS total, count(*) AS n
FROM (SELECT k, v FROM a UNION ALL SELECT k, v FROM b) u JOIN names ON names.k = u.k GROUP BY name;
-- answer: 'one', 15, 2 | 'two', 1, 1
-- change: everything
UPDATE a SET k = 2 WHERE k = 1;
UPDATE b SET v = NULL;
UPDATE names SET name = 'deux' WHERE k = 2;
-- answer: 'one', NULL, 1 | 'deux', 11, 2
