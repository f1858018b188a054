-- title: trap C12: ROLLUP, a NULL of the data and a NULL of the total
CREATE TABLE a (g STRING, v INT);
INSERT INTO a VALUES (NULL, 1), ('p', 2);
-- stream: incremental
SELECT g, GROUPING(g) AS gg, SUM(v) AS s FROM a GROUP BY ROLLUP (g);
-- answer: NULL, 0, 1 | NULL, 1, 3 | 'p', 0, 2
-- change: the NULL of the data goes
DELETE FROM a WHERE g IS NULL;
-- answer: NULL, 1, 2 | 'p', 0, 2

-- title: ROLLUP of two keys, NULL in both of them
CREATE TABLE a (g STRING, h STRING, v INT);
INSERT INTO a VALUES ('p', 'x', 1), ('p', 'y', 2), ('p', NULL, 4), (NULL, 'x', 8), (NULL, NULL, 16);
-- stream: incremental
SELECT g, h, GROUPING(g) AS gg, GROUPING(h) AS gh, GROUPING_ID(g, h) AS id, SUM(v) AS s, COUNT(*) AS n FROM a GROUP BY ROLLUP (g, h);
-- change: the NULL of one becomes a name, a row of the other goes
UPDATE a SET h = 'x' WHERE v = 4;
DELETE FROM a WHERE v = 8;
-- change: a new group, an old one moves whole
INSERT INTO a VALUES ('q', NULL, 32);
UPDATE a SET g = 'q' WHERE g IS NULL;
-- answer: 'p', 'x', 0, 0, 0, 5, 2 | 'p', 'y', 0, 0, 0, 2, 1 | 'q', NULL, 0, 0, 0, 48, 2 | 'p', NULL, 0, 1, 1, 7, 3 | 'q', NULL, 0, 1, 1, 48, 2 | NULL, NULL, 1, 1, 3, 55, 5
-- change: values alone
UPDATE a SET v = -v;
-- change: all of it and back
DELETE FROM a WHERE g = 'p';
INSERT INTO a VALUES ('p', 'x', 0);

-- title: CUBE
CREATE TABLE a (g STRING, h STRING, v INT);
INSERT INTO a VALUES ('p', 'x', 1), ('q', 'x', 2), ('q', NULL, 4);
-- stream: incremental
SELECT g, h, GROUPING_ID(g, h) AS id, SUM(v) AS s, MIN(v) AS lo, COUNT(DISTINCT v) AS d FROM a GROUP BY CUBE (g, h);
-- answer: 'p', 'x', 0, 1, 1, 1 | 'q', 'x', 0, 2, 2, 1 | 'q', NULL, 0, 4, 4, 1 | 'p', NULL, 1, 1, 1, 1 | 'q', NULL, 1, 6, 2, 2 | NULL, 'x', 2, 3, 1, 2 | NULL, NULL, 2, 4, 4, 1 | NULL, NULL, 3, 7, 1, 3
-- change: the least of every total goes, a copy comes
DELETE FROM a WHERE v = 1;
INSERT INTO a VALUES ('q', 'x', 2), ('r', 'x', 4);
-- change: keys move
UPDATE a SET h = 'x' WHERE h IS NULL;
UPDATE a SET g = NULL WHERE g = 'r';

-- title: GROUPING SETS, one of them twice removed, with HAVING and an expression
CREATE TABLE a (g STRING, h INT, v INT);
INSERT INTO a VALUES ('p', 1, 1), ('p', 12, 2), ('q', 13, 4);
-- stream: incremental
SELECT g, h % 10 AS h, SUM(v) AS s, CASE WHEN GROUPING(g) = 1 THEN 'all' ELSE g END AS name FROM a
GROUP BY GROUPING SETS ((g), (h % 10), ()) HAVING SUM(v) > 1;
-- answer: 'p', NULL, 3, 'p' | 'q', NULL, 4, 'q' | NULL, 2, 2, 'all' | NULL, 3, 4, 'all' | NULL, NULL, 7, 'all'
-- change: thresholds are crossed both ways
UPDATE a SET v = 3 - v WHERE g = 'p';
UPDATE a SET h = 2 WHERE g = 'q';
-- answer: 'p', NULL, 3, 'p' | 'q', NULL, 4, 'q' | NULL, 1, 2, 'all' | NULL, 2, 5, 'all' | NULL, NULL, 7, 'all'
-- change: most goes
DELETE FROM a WHERE g = 'q';
-- answer: 'p', NULL, 3, 'p' | NULL, 1, 2, 'all' | NULL, NULL, 3, 'all'

-- title: a plain key beside ROLLUP
CREATE TABLE a (y INT, g STRING, v INT);
INSERT INTO a VALUES (1, 'p', 1), (1, 'q', 2), (2, 'p', 4);
-- stream: incremental
SELECT y, g, SUM(v) AS s FROM a GROUP BY y, ROLLUP (g);
-- answer: 1, 'p', 1 | 1, 'q', 2 | 1, NULL, 3 | 2, 'p', 4 | 2, NULL, 4
-- change: one year empties, another comes
UPDATE a SET y = 3 WHERE y = 2;
INSERT INTO a VALUES (1, NULL, 8);
-- answer: 1, 'p', 1 | 1, 'q', 2 | 1, NULL, 8 | 1, NULL, 11 | 3, 'p', 4 | 3, NULL, 4

-- title: ROLLUP over a join, both sides change
CREATE TABLE o (cid INT, v INT);
CREATE TABLE c (id INT, region STRING, name STRING);
INSERT INTO o VALUES (1, 1), (2, 2), (3, 4);
INSERT INTO c VALUES (1, 'n', 'a'), (2, 'n', 'b'), (3, 's', 'c');
-- stream: incremental
SELECT region, name, SUM(v) AS s FROM o LEFT JOIN c ON c.id = o.cid GROUP BY ROLLUP (region, name);
-- change: a region is renamed as its orders change
UPDATE c SET region = 'w' WHERE id = 3;
INSERT INTO o VALUES (3, 8), (9, 16);
DELETE FROM o WHERE cid = 1;
-- change: a customer goes: its orders have none
DELETE FROM c WHERE id = 2;
-- answer: 'w', 'c', 12 | 'w', NULL, 12 | NULL, NULL, 18 | NULL, NULL, 18 | NULL, NULL, 30

-- title: aggregates, windows and joins above grouping sets
CREATE TABLE a (g STRING, h STRING, v INT);
INSERT INTO a VALUES ('p', 'x', 1), ('p', 'y', 3), ('q', 'x', 4);
-- stream: incremental
SELECT level, COUNT(*) AS n, MAX(s) AS top FROM (SELECT g, h, GROUPING_ID(g, h) AS level, SUM(v) AS s FROM a GROUP BY CUBE (g, h)) z
WHERE s > (SELECT MIN(v) FROM a) GROUP BY level;
-- answer: 0, 2, 4 | 1, 2, 4 | 2, 2, 5 | 3, 1, 8
-- change: the least goes, another comes
DELETE FROM a WHERE v = 1;
INSERT INTO a VALUES ('q', 'y', 9), ('r', NULL, 2);

-- title: an aggregate of a key of the sets
CREATE TABLE a (g INT, v INT);
INSERT INTO a VALUES (1, 10), (1, 20), (2, 30);
-- stream: incremental
SELECT g, SUM(g) AS s, COUNT(g) AS c, SUM(v) AS v FROM a GROUP BY ROLLUP (g);
-- answer: 1, 2, 2, 30 | 2, 2, 1, 30 | NULL, 4, 3, 60
-- change: one moves, a NULL comes
UPDATE a SET g = 2 WHERE v = 10;
INSERT INTO a VALUES (NULL, 1);
-- answer: 1, 1, 1, 20 | 2, 4, 2, 40 | NULL, NULL, 0, 1 | NULL, 5, 3, 61

-- title: the words of Hive
CREATE TABLE a (g STRING, h STRING, v INT);
INSERT INTO a VALUES ('p', 'x', 1), ('p', NULL, 2);
-- stream: incremental
SELECT 'rollup' AS how, g, h, GROUPING_ID() AS id, SUM(v) AS s FROM a GROUP BY g, h WITH ROLLUP
UNION ALL SELECT 'cube', g, h, GROUPING_ID(), SUM(v) FROM a GROUP BY g, h WITH CUBE
UNION ALL SELECT 'sets', g, h, GROUPING_ID(), SUM(v) FROM a GROUP BY g, h GROUPING SETS ((g, h), h);
-- change: both rows, and one more
UPDATE a SET h = 'x';
INSERT INTO a VALUES (NULL, 'y', 4);

-- title: grouping sets of nothing
CREATE TABLE a (g STRING, v INT);
-- stream: incremental
SELECT g, SUM(v) AS s, COUNT(*) AS n FROM a GROUP BY ROLLUP (g);
-- change: a row
INSERT INTO a VALUES ('p', 1), (NULL, 2);
-- answer: 'p', 1, 1 | NULL, 2, 1 | NULL, 3, 2
-- change: none
DELETE FROM a;

-- title: a key that no grouping set holds, and a set after a comma
-- lane: spark DuckDB has no keys that no grouping set holds
CREATE TABLE a (g STRING, h STRING, v INT);
INSERT INTO a VALUES ('p', 'x', 1), ('p', NULL, 2), ('q', 'x', 4);
-- stream: incremental
SELECT 'list' AS how, g, h, SUM(v) AS s FROM a GROUP BY g, h GROUPING SETS (g)
UNION ALL SELECT 'none', g, h, SUM(v) FROM a GROUP BY g, h GROUPING SETS (())
UNION ALL SELECT 'comma', g, NULL, SUM(v) FROM a GROUP BY g, GROUPING SETS ((g), ());
-- answer: 'list', 'p', NULL, 3 | 'list', 'q', NULL, 4 | 'none', NULL, NULL, 7 | 'comma', 'p', NULL, 3 | 'comma', 'p', NULL, 3 | 'comma', 'q', NULL, 4 | 'comma', 'q', NULL, 4
-- change: a group goes, one grows
DELETE FROM a WHERE g = 'q';
INSERT INTO a VALUES ('p', 'y', 10);

-- title: predicates as the keys of ROLLUP and of GROUPING SETS
CREATE TABLE t (g STRING, v INT);
INSERT INTO t VALUES ('a', 1), ('b', 2), (NULL, 2);
-- stream: incremental
SELECT g IN ('a', 'c') AS known, v > 1 AS big, count(*) AS n FROM t GROUP BY ROLLUP (g IN ('a', 'c'), v > 1)
UNION ALL
SELECT g IS NULL, NULL, sum(v) FROM t GROUP BY GROUPING SETS ((g IS NULL), ());
-- answer: true, false, 1 | true, NULL, 1 | false, true, 1 | false, NULL, 1 | NULL, true, 1 | NULL, NULL, 1 | NULL, NULL, 3 | false, NULL, 3 | true, NULL, 2 | NULL, NULL, 5
-- change: rows move between all of them
UPDATE t SET g = 'c', v = 3 WHERE g IS NULL;
INSERT INTO t VALUES ('x', 1);
-- answer: true, false, 1 | true, true, 1 | true, NULL, 2 | false, true, 1 | false, false, 1 | false, NULL, 2 | NULL, NULL, 4 | false, NULL, 7 | NULL, NULL, 7
