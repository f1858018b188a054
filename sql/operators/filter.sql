-- title: trap E9: a filter on a column that is not projected
CREATE TABLE a (id INT, st STRING);
INSERT INTO a VALUES (1, 'open'), (2, 'open');
-- stream: incremental
SELECT id FROM a WHERE st = 'open';
-- answer: 1 | 2
-- change: one shuts
UPDATE a SET st = 'shut' WHERE id = 1;
-- expect: - 1
-- answer: 2
-- change: and opens
UPDATE a SET st = 'open' WHERE id = 1;
-- expect: + 1

-- title: a condition that is NULL keeps no row
CREATE TABLE a (id INT, v INT);
INSERT INTO a VALUES (1, 5), (2, NULL), (3, 0);
-- stream: incremental
SELECT id, v FROM a WHERE v > 1 OR NOT (v > 1) AND id < 10;
-- answer: 1, 5 | 3, 0
-- change: NULL becomes a value, a value becomes NULL
UPDATE a SET v = CASE WHEN v IS NULL THEN 7 WHEN v = 5 THEN NULL ELSE v END;
-- answer: 2, 7 | 3, 0

-- title: NOT IN with a NULL in its list keeps nothing
CREATE TABLE a (v INT);
INSERT INTO a VALUES (1), (2), (NULL);
-- stream: incremental
SELECT v FROM a WHERE v NOT IN (1, NULL);
-- answer: nothing
-- change: rows come and go
INSERT INTO a VALUES (3);
DELETE FROM a WHERE v = 2;
-- expect: nothing

-- title: IN, BETWEEN, LIKE, IS NULL and null-safe equality
CREATE TABLE a (id INT, s STRING, v INT);
INSERT INTO a VALUES (1, 'ab', 1), (2, 'b_', 2), (3, NULL, NULL), (4, 'abc', 9);
-- stream: incremental
SELECT id FROM a WHERE (v IN (1, 2) AND s LIKE 'a%') OR s <=> NULL OR v BETWEEN 8 AND 9 OR s LIKE 'b_';
-- answer: 1 | 2 | 3 | 4
-- change: each for another reason
UPDATE a SET s = 'x' WHERE id IN (1, 3);
UPDATE a SET v = 7 WHERE id = 4;
UPDATE a SET s = NULL WHERE id = 4;
-- answer: 2 | 4

-- title: duplicates pass a filter as often as they are there
CREATE TABLE a (seq INT, v INT);
INSERT INTO a VALUES (1, 5), (2, 5);
-- stream: incremental
SELECT v FROM a WHERE v > 3;
-- change: a third copy, and one that fails
INSERT INTO a VALUES (3, 5), (4, 1);
-- expect: + 5
-- change: two copies fail
UPDATE a SET v = 0 WHERE seq IN (1, 2);
-- expect: - 5 | 5

-- title: a filter that is always false, and one that is always true
CREATE TABLE a (v INT);
INSERT INTO a VALUES (1);
-- stream: incremental
SELECT v FROM a WHERE FALSE UNION ALL SELECT v + 10 FROM a WHERE TRUE;
-- answer: 11
-- change: a row
INSERT INTO a VALUES (2);
-- expect: + 12

-- title: a filter guards an expression that would fail
CREATE TABLE a (id INT, n INT, d INT);
INSERT INTO a VALUES (1, 6, 2), (2, 1, 0);
-- stream: incremental
SELECT id, n / d AS q FROM (SELECT id, n, d FROM a WHERE d <> 0) z WHERE n / d > 1;
-- answer: 1, 3
-- change: a divisor becomes zero, another stops being zero
UPDATE a SET d = CASE WHEN d = 0 THEN 4 ELSE 0 END;
-- answer: nothing
-- change: and a good row comes
INSERT INTO a VALUES (3, 9, 3), (4, 9, 0);
-- answer: 3, 3

-- title: the filter's columns move between tables of a join
CREATE TABLE l (k INT, x INT);
CREATE TABLE r (k INT, y INT);
INSERT INTO l VALUES (1, 1), (2, 5);
INSERT INTO r VALUES (1, 3), (2, 3), (NULL, 0);
-- stream: incremental
SELECT l.k, x, y FROM l, r WHERE l.k = r.k AND x > 0 AND y > 0 AND x < y;
-- answer: 1, 1, 3
-- change: both sides
UPDATE l SET x = 2 WHERE k = 2;
UPDATE r SET y = 1 WHERE k = 1;
-- answer: 2, 2, 3
