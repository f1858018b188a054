-- title: different rows become equal ones
CREATE TABLE a (id INT, v INT);
INSERT INTO a VALUES (1, 2), (2, -2), (3, NULL);
-- stream: incremental
SELECT v * v AS square FROM a;
-- answer: 4 | 4 | NULL
-- change: one of the two goes, another comes from elsewhere
DELETE FROM a WHERE id = 1;
UPDATE a SET v = 2 WHERE id = 3;
-- expect: - NULL
-- answer: 4 | 4

-- title: an update that the projection does not show
CREATE TABLE a (id INT, v INT);
INSERT INTO a VALUES (1, 10), (2, 11);
-- stream: incremental
SELECT id, v > 5 AS is_big FROM a;
-- change: big stays big
UPDATE a SET v = v + 1;
-- expect: nothing
-- change: one becomes small, one unknown
UPDATE a SET v = CASE WHEN id = 1 THEN 1 ELSE NULL END;
-- answer: 1, FALSE | 2, NULL

-- title: constants, and no column at all
CREATE TABLE a (id INT);
INSERT INTO a VALUES (1), (2);
-- stream: incremental
SELECT 'x' AS word, 1 AS one, CAST(NULL AS INT) AS nothing FROM a;
-- answer: 'x', 1, NULL | 'x', 1, NULL
-- change: a copy more, a copy less
INSERT INTO a VALUES (3);
-- expect: + 'x', 1, NULL
-- change: all but one go
DELETE FROM a WHERE id < 3;
-- expect: - 'x', 1, NULL | 'x', 1, NULL

-- title: CASE, COALESCE, casts and text
CREATE TABLE a (id INT, s STRING, v DECIMAL(10,2));
INSERT INTO a VALUES (1, 'x', 1.50), (2, NULL, NULL);
-- stream: incremental
SELECT id, coalesce(s, '?') AS s, CASE WHEN v IS NULL THEN 'none' WHEN v > 1 THEN 'much' ELSE 'little' END AS much,
       CAST(v AS STRING) AS text, upper(s) || '!' AS loud
FROM a;
-- change: NULLs change places
UPDATE a SET s = CASE WHEN s IS NULL THEN 'y' END, v = CASE WHEN v IS NULL THEN 0.10 END;
-- answer: 1, '?', 'none', NULL, NULL | 2, 'y', 'little', '0.10', 'Y!'

-- title: a projection of a projection that uses a column twice
CREATE TABLE a (id INT, v INT);
INSERT INTO a VALUES (1, 2), (2, NULL);
-- stream: incremental
SELECT s, s + s AS twice, s * s AS square FROM (SELECT v + 1 AS s FROM (SELECT v FROM a) x) y;
-- answer: 3, 6, 9 | NULL, NULL, NULL
-- change: one of each
UPDATE a SET v = 9 WHERE id = 2;
INSERT INTO a VALUES (3, 2);
-- answer: 3, 6, 9 | 10, 20, 100 | 3, 6, 9

-- title: a query without FROM never changes
CREATE TABLE a (id INT);
INSERT INTO a VALUES (1);
-- stream: incremental
SELECT 1 AS x, 'one' AS y UNION ALL SELECT id, 'a' FROM a;
-- answer: 1, 'one' | 1, 'a'
-- change: only the other half does
DELETE FROM a;
-- expect: - 1, 'a'

-- title: a condition computed below keeps its meaning inside another
CREATE TABLE a (id INT, x BOOLEAN, y BOOLEAN);
INSERT INTO a VALUES (1, NULL, TRUE), (2, FALSE, FALSE);
-- stream: incremental
SELECT 'not' AS how, id, NOT p AS b FROM (SELECT id, x OR y AS p FROM a) z UNION ALL SELECT 'null', id, p IS NULL FROM (SELECT id, x AND y AS p FROM a) z
UNION ALL SELECT 'equal', id, p = TRUE FROM (SELECT id, x OR y AS p FROM a) z;
-- answer: 'not', 1, FALSE | 'not', 2, TRUE | 'null', 1, TRUE | 'null', 2, FALSE | 'equal', 1, TRUE | 'equal', 2, FALSE
-- change: it turns
UPDATE a SET y = NOT y;
INSERT INTO a VALUES (3, TRUE, TRUE);
-- answer: 'not', 1, NULL | 'not', 2, FALSE | 'not', 3, FALSE | 'null', 1, FALSE | 'null', 2, FALSE | 'null', 3, FALSE | 'equal', 1, NULL | 'equal', 2, TRUE | 'equal', 3, TRUE
