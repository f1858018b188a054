-- title: trap E4: the third comes when the first goes
CREATE TABLE a (id INT, g STRING, v INT);
INSERT INTO a VALUES (1, 'p', 10), (2, 'p', 20), (3, 'p', 30);
-- stream: incremental
SELECT id FROM a ORDER BY v DESC, id LIMIT 2;
-- answer: 2 | 3
-- change: the first goes
DELETE FROM a WHERE id = 3;
-- answer: 1 | 2

-- title: LIMIT, rows pass the border both ways
CREATE TABLE a (id INT, v INT);
INSERT INTO a VALUES (1, 10), (2, 20), (3, 30), (4, 40);
-- stream: incremental
SELECT id, v FROM a ORDER BY v LIMIT 2;
-- answer: 1, 10 | 2, 20
-- change: below the border
UPDATE a SET v = 50 WHERE id = 3;
DELETE FROM a WHERE id = 4;
-- expect: nothing
-- change: one comes in front, one inside changes
INSERT INTO a VALUES (5, 5);
UPDATE a SET id = 11 WHERE id = 1;
-- answer: 5, 5 | 11, 10
-- change: all inside go
DELETE FROM a WHERE v < 20;
-- answer: 2, 20 | 3, 50
-- change: fewer rows than the limit, then none
DELETE FROM a WHERE id = 2;
-- answer: 3, 50
-- change: none
DELETE FROM a;
-- answer: nothing
-- change: some
INSERT INTO a VALUES (1, NULL), (2, 2), (3, 3);
-- answer: 1, NULL | 2, 2

-- title: LIMIT among ties takes what the rows alone decide
CREATE TABLE a (v INT, w INT);
INSERT INTO a VALUES (1, 9), (1, 9), (1, 9), (2, 0);
-- stream: incremental
SELECT v, w FROM a ORDER BY v LIMIT 2;
-- answer: 1, 9 | 1, 9
-- change: one of three copies goes
DELETE FROM a WHERE v = 1;
INSERT INTO a VALUES (1, 9), (1, 9);
-- expect: nothing
-- change: one stays
DELETE FROM a WHERE v = 1;
INSERT INTO a VALUES (1, 9);
-- answer: 1, 9 | 2, 0

-- title: OFFSET, alone and with LIMIT
CREATE TABLE a (id INT, v INT);
INSERT INTO a VALUES (1, 1), (2, 2), (3, 3), (4, 4);
-- stream: incremental
SELECT 'page' AS how, id FROM (SELECT id FROM a ORDER BY v DESC LIMIT 2 OFFSET 1) x UNION ALL SELECT 'rest', id FROM (SELECT id FROM a ORDER BY v OFFSET 3) y
UNION ALL SELECT 'none', id FROM (SELECT id FROM a ORDER BY v LIMIT 0) z;
-- answer: 'page', 3 | 'page', 2 | 'rest', 4
-- change: the first of one page goes
DELETE FROM a WHERE id = 4;
-- answer: 'page', 2 | 'page', 1
-- change: rows before and behind
INSERT INTO a VALUES (5, 5), (0, 0);
-- answer: 'page', 3 | 'page', 2 | 'rest', 3 | 'rest', 5

-- title: LIMIT by what is not shown, by ordinal, by alias and by an expression
CREATE TABLE a (id INT, v INT, w INT);
INSERT INTO a VALUES (1, 3, 1), (2, 2, 2), (3, 1, 4);
-- stream: incremental
(SELECT 'hidden' AS how, id FROM a ORDER BY w DESC LIMIT 1) UNION ALL (SELECT 'ordinal', id FROM a ORDER BY 2 LIMIT 1)
UNION ALL (SELECT 'alias', v + w AS x FROM a ORDER BY x DESC LIMIT 1) UNION ALL (SELECT 'expression', id FROM a ORDER BY v * w DESC, id LIMIT 1);
-- answer: 'hidden', 3 | 'ordinal', 1 | 'alias', 5 | 'expression', 2
-- change: others come first
UPDATE a SET w = 9 WHERE id = 1;
INSERT INTO a VALUES (0, 0, 0);
-- answer: 'hidden', 1 | 'ordinal', 0 | 'alias', 12 | 'expression', 1
-- change: they go
DELETE FROM a WHERE id IN (0, 1);
-- answer: 'hidden', 3 | 'ordinal', 2 | 'alias', 5 | 'expression', 2

-- title: NULLS FIRST and LAST
CREATE TABLE a (id INT, v INT);
INSERT INTO a VALUES (1, NULL), (2, 2), (3, 3);
-- stream: incremental
(SELECT 'asc' AS how, id FROM a ORDER BY v LIMIT 1) UNION ALL (SELECT 'desc', id FROM a ORDER BY v DESC LIMIT 1)
UNION ALL (SELECT 'last', id FROM a ORDER BY v NULLS LAST LIMIT 1) UNION ALL (SELECT 'first', id FROM a ORDER BY v DESC NULLS FIRST LIMIT 1);
-- answer: 'asc', 1 | 'desc', 3 | 'last', 2 | 'first', 1
-- change: the NULL moves
UPDATE a SET v = CASE id WHEN 1 THEN 9 WHEN 3 THEN NULL ELSE v END;
-- answer: 'asc', 3 | 'desc', 1 | 'last', 2 | 'first', 3

-- title: LIMIT over an aggregate, and over a join of two changing tables
CREATE TABLE o (cid INT, v INT);
CREATE TABLE c (id INT, name STRING);
INSERT INTO o VALUES (1, 5), (2, 6), (3, 1);
INSERT INTO c VALUES (1, 'Ann'), (2, 'Ben'), (3, 'Cat');
-- stream: incremental
SELECT name, SUM(v) AS s FROM o JOIN c ON c.id = o.cid GROUP BY name ORDER BY SUM(v) DESC, name LIMIT 2;
-- answer: 'Ben', 6 | 'Ann', 5
-- change: the last becomes first, the first is renamed
INSERT INTO o VALUES (3, 9);
UPDATE c SET name = 'Bob' WHERE id = 2;
-- answer: 'Cat', 10 | 'Bob', 6
-- change: two groups become one
UPDATE c SET name = 'Cat' WHERE id = 1;
DELETE FROM o WHERE cid = 2;
-- answer: 'Cat', 15

-- title: LIMIT over DISTINCT, set operations and LEFT JOIN
CREATE TABLE a (x INT);
CREATE TABLE b (x INT);
INSERT INTO a VALUES (3), (3), (4);
INSERT INTO b VALUES (4), (1);
-- stream: incremental
(SELECT DISTINCT 'distinct' AS how, x, 0 AS y FROM a ORDER BY x LIMIT 1) UNION ALL
SELECT 'union', x, 0 FROM (SELECT x FROM a UNION SELECT x FROM b ORDER BY x DESC LIMIT 2) z UNION ALL
(SELECT 'join', a.x, b.x FROM a LEFT JOIN b ON a.x = b.x ORDER BY b.x DESC, a.x LIMIT 1);
-- answer: 'distinct', 3, 0 | 'union', 4, 0 | 'union', 3, 0 | 'join', 4, 4
-- change: a copy goes, another value comes on the other side
DELETE FROM a WHERE x = 3;
INSERT INTO a VALUES (3), (0);
DELETE FROM b WHERE x = 4;
INSERT INTO b VALUES (9);
-- answer: 'distinct', 0, 0 | 'union', 9, 0 | 'union', 4, 0 | 'join', 0, NULL

-- title: a join with a LIMIT, and a LIMIT in a CTE used twice
CREATE TABLE a (id INT, v INT);
CREATE TABLE b (id INT, w STRING);
INSERT INTO a VALUES (1, 1), (2, 2), (3, 3);
INSERT INTO b VALUES (3, 'c'), (2, 'b'), (1, 'a');
-- stream: incremental
WITH top AS (SELECT id, v FROM a ORDER BY v DESC LIMIT 2)
SELECT b.w, top.v, (SELECT MIN(v) FROM top) AS least FROM top JOIN b ON b.id = top.id;
-- answer: 'c', 3, 2 | 'b', 2, 2
-- change: the top moves, labels change
UPDATE a SET v = 9 WHERE id = 1;
UPDATE b SET w = 'C' WHERE id = 3;
-- answer: 'a', 9, 3 | 'C', 3, 3
-- change: both lose one
DELETE FROM a WHERE id = 1;
DELETE FROM b WHERE id = 2;
-- answer: 'C', 3, 2

-- title: ORDER BY without LIMIT orders no bag
CREATE TABLE a (id INT, v INT);
INSERT INTO a VALUES (1, 1), (2, 2);
-- stream: incremental
SELECT id FROM a ORDER BY v DESC, id;
-- change: the order turns
UPDATE a SET v = 3 - v;
-- expect: nothing
-- change: one comes
INSERT INTO a VALUES (3, 0);
-- expect: + 3

-- title: the first three of each group, ties broken
CREATE TABLE a (g STRING, id INT, v INT);
INSERT INTO a VALUES ('p', 1, 1), ('p', 2, 1), ('p', 3, 5), ('p', 4, 7), ('q', 5, 1), (NULL, 6, 1), (NULL, 7, 2);
-- stream: incremental
SELECT g, id, n FROM (SELECT g, id, ROW_NUMBER() OVER (PARTITION BY g ORDER BY v, id) AS n FROM a) z WHERE n <= 2;
-- answer: 'p', 1, 1 | 'p', 2, 2 | 'q', 5, 1 | NULL, 6, 1 | NULL, 7, 2
-- change: the second of one, the only of another, one of NULL
DELETE FROM a WHERE id = 2;
DELETE FROM a WHERE g = 'q';
UPDATE a SET g = 'q' WHERE id = 7;
-- answer: 'p', 1, 1 | 'p', 3, 2 | 'q', 7, 1 | NULL, 6, 1
-- change: below the line
INSERT INTO a VALUES ('p', 8, 99);
UPDATE a SET v = 98 WHERE id = 4;
-- expect: nothing

-- title: a LIMIT that is computed
CREATE TABLE a (id INT);
INSERT INTO a VALUES (1), (2), (3);
-- stream: incremental
SELECT id FROM a ORDER BY id LIMIT 1 + 1;
-- answer: 1 | 2
-- change: another first
INSERT INTO a VALUES (0);
-- answer: 0 | 1

-- title: the first rows in the order of the whole list
-- lane: spark DuckDB sorts NULLs otherwise there
CREATE TABLE a (g STRING, v INT);
INSERT INTO a VALUES ('p', 1), ('p', 2), ('q', 1), (NULL, 5);
-- stream: incremental
SELECT g, COUNT(*) AS n, SUM(v) AS s FROM a GROUP BY ALL ORDER BY ALL LIMIT 2;
-- answer: NULL, 1, 5 | 'p', 2, 3
-- change: the first goes
DELETE FROM a WHERE g IS NULL;
-- answer: 'p', 2, 3 | 'q', 1, 1

-- title: the first groups
CREATE TABLE a (g INT, v INT);
INSERT INTO a VALUES (1, 5), (1, 5), (2, 7), (3, 4), (4, 1), (NULL, 2);
-- stream: incremental
SELECT g, sum(v) AS total, count(*) AS n, max(v) AS most FROM a GROUP BY g HAVING sum(v) > 1 ORDER BY total DESC, g LIMIT 2;
-- answer: 1, 10, 2, 5 | 2, 7, 1, 7
-- change: one comes to the front, one behind the last grows less than that
INSERT INTO a VALUES (3, 9), (4, 2);
-- answer: 3, 13, 2, 9 | 1, 10, 2, 5
-- change: both go, and those that were never shown move up
DELETE FROM a WHERE g IN (1, 3);
-- answer: 2, 7, 1, 7 | 4, 3, 2, 2
-- change: fewer groups than are wanted
DELETE FROM a WHERE g IS NOT NULL;
-- answer: NULL, 2, 1, 2
-- change: ties behind one that stays
INSERT INTO a VALUES (8, 2), (7, 2), (9, 1), (9, 2);
UPDATE a SET v = 4 WHERE g IS NULL;
-- answer: NULL, 4, 1, 4 | 9, 3, 2, 2
