-- title: VALUES joined with a table
CREATE TABLE a (id INT, k STRING);
INSERT INTO a VALUES (1, 'x'), (2, 'y'), (3, NULL), (1, 'x');
-- stream: incremental
SELECT a.id, v.name FROM a JOIN (VALUES ('x', 'one'), ('y', 'two'), ('y', 'zwei')) AS v(k, name) ON v.k = a.k;
-- answer: 1, 'one' | 1, 'one' | 2, 'two' | 2, 'zwei'
-- change: keys move
UPDATE a SET k = 'y' WHERE id = 1;
UPDATE a SET k = 'x' WHERE id = 3;
-- answer: 1, 'two' | 1, 'two' | 1, 'zwei' | 1, 'zwei' | 2, 'two' | 2, 'zwei' | 3, 'one'
-- change: all go
DELETE FROM a;
-- answer: nothing

-- title: VALUES kept whole by outer joins
CREATE TABLE a (k INT, v INT);
INSERT INTO a VALUES (1, 10), (4, 40);
-- stream: incremental
SELECT v.k, v.name, a.v FROM (VALUES (1, 'one'), (2, 'two'), (NULL, 'none')) AS v(k, name) FULL JOIN a ON a.k = v.k;
-- answer: 1, 'one', 10 | 2, 'two', NULL | NULL, 'none', NULL | NULL, NULL, 40
-- change: it moves
UPDATE a SET k = k / 2 WHERE k = 4;
DELETE FROM a WHERE k = 1;
INSERT INTO a VALUES (NULL, 0);
-- answer: 1, 'one', NULL | 2, 'two', 40 | NULL, 'none', NULL | NULL, NULL, 0

-- title: buckets by a band, empty ones too
CREATE TABLE a (v INT);
INSERT INTO a VALUES (1), (5), (11);
-- stream: incremental
SELECT b.name, COUNT(a.v) AS n FROM (VALUES ('low', 0, 10), ('high', 10, 100), ('huge', 100, 1000)) AS b(name, lo, hi) LEFT JOIN a ON a.v >= b.lo AND a.v < b.hi GROUP BY b.name;
-- answer: 'low', 2 | 'high', 1 | 'huge', 0
-- change: they move up
UPDATE a SET v = v * 10;
-- answer: 'low', 0 | 'high', 2 | 'huge', 1
-- change: none
DELETE FROM a;
-- answer: 'low', 0 | 'high', 0 | 'huge', 0

-- title: IN VALUES, EXISTS over VALUES, and set operations with them
CREATE TABLE a (x INT);
INSERT INTO a VALUES (1), (2), (2), (NULL);
-- stream: incremental
SELECT 'in' AS how, x FROM a WHERE x IN (SELECT c FROM (VALUES (2), (3)) AS v(c))
UNION ALL SELECT 'not in', x FROM a WHERE x NOT IN (SELECT c FROM (VALUES (2), (3)) AS v(c))
UNION ALL SELECT 'except', x FROM (SELECT c AS x FROM (VALUES (1), (2), (3)) AS v(c) EXCEPT SELECT x FROM a) z
UNION ALL SELECT 'all', x FROM (SELECT x FROM a INTERSECT ALL SELECT c FROM (VALUES (2), (2), (2)) AS v(c)) z;
-- answer: 'in', 2 | 'in', 2 | 'not in', 1 | 'except', 3 | 'all', 2 | 'all', 2
-- change: values come and go
INSERT INTO a VALUES (3), (2);
DELETE FROM a WHERE x = 1;
-- answer: 'in', 2 | 'in', 2 | 'in', 2 | 'in', 3 | 'except', 1 | 'all', 2 | 'all', 2 | 'all', 2

-- title: a row without a table beside those of one
CREATE TABLE a (x INT);
-- stream: incremental
SELECT x, COUNT(*) AS n FROM (SELECT x FROM a UNION ALL SELECT 0 UNION ALL SELECT NULL) z GROUP BY x;
-- answer: 0, 1 | NULL, 1
-- change: they meet
INSERT INTO a VALUES (0), (NULL), (1);
-- answer: 0, 2 | NULL, 2 | 1, 1
-- change: they part
DELETE FROM a WHERE x IS NULL OR x = 0;
-- answer: 0, 1 | NULL, 1 | 1, 1

-- title: constants in the list, a table without columns read
CREATE TABLE a (x INT);
INSERT INTO a VALUES (1), (1);
-- stream: incremental
SELECT 1 AS one, 'x' AS s, CAST(NULL AS INT) AS n FROM a;
-- answer: 1, 'x', NULL | 1, 'x', NULL
-- change: one more of another kind
INSERT INTO a VALUES (7);
-- expect: + 1, 'x', NULL
-- change: a value that nobody reads
UPDATE a SET x = 8 WHERE x = 7;
-- expect: nothing

-- title: range beside a table
CREATE TABLE a (x BIGINT, v INT);
INSERT INTO a VALUES (1, 5), (1, 6), (9, 7);
-- stream: incremental
SELECT r.id, SUM(a.v) AS s FROM range(3) AS r(id) LEFT JOIN a ON a.x = r.id GROUP BY r.id;
-- answer: 0, NULL | 1, 11 | 2, NULL
-- change: one moves, one goes
UPDATE a SET x = 0 WHERE v = 5;
UPDATE a SET x = 2 WHERE x = 9;
-- answer: 0, 5 | 1, 6 | 2, 7

-- title: a table of its own words
-- lane: spark DuckDB has no VALUES without names and no VALUES as a query
CREATE TABLE a (x INT);
INSERT INTO a VALUES (1);
-- stream: incremental
SELECT a.x, v.col2 FROM a LEFT JOIN VALUES (1, 'one'), (2, 'two') AS v ON v.col1 = a.x UNION ALL SELECT * FROM VALUES (0, 'zero');
-- answer: 1, 'one' | 0, 'zero'
-- change: it moves
UPDATE a SET x = 2;
INSERT INTO a VALUES (3);
-- answer: 2, 'two' | 3, NULL | 0, 'zero'
