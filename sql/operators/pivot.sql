-- title: PIVOT with one aggregate: a value without rows gives NULL, even for COUNT
-- lane: spark DuckDB gives 0
CREATE TABLE a (x INT, v INT, y INT);
INSERT INTO a VALUES (1, 10, 5), (2, 20, 5), (1, NULL, 6);
-- stream: incremental
SELECT * FROM a PIVOT (count(v) FOR x IN (1, 2, 3));
-- answer: 5, 1, 1, NULL | 6, 0, NULL, NULL
-- change: a value more, a group less
INSERT INTO a VALUES (3, NULL, 5), (2, 1, 5), (NULL, 1, 5);
DELETE FROM a WHERE y = 6;
-- answer: 5, 1, 2, 0

-- title: PIVOT of a query, several aggregates and names, joined
-- lane: spark DuckDB names the columns otherwise
CREATE TABLE a (x INT, v INT, y INT);
CREATE TABLE n (y INT, name STRING);
INSERT INTO a VALUES (1, 10, 5), (2, 20, 5), (1, 3, 6);
INSERT INTO n VALUES (5, 'five'), (6, 'six');
-- stream: incremental
SELECT n.name, p.one_s, p.one_m, p.two_s FROM n JOIN (
  SELECT * FROM (SELECT x, y, v * 2 AS w FROM a) PIVOT (sum(w) AS s, max(w) AS m FOR x IN (1 AS one, 2 AS two))) p ON p.y = n.y;
-- answer: 'five', 20, 20, 40 | 'six', 6, 6, NULL
-- change: both tables
UPDATE a SET x = 2 WHERE y = 6;
INSERT INTO a VALUES (1, 1, 5);
UPDATE n SET name = 'FIVE' WHERE y = 5;
-- answer: 'FIVE', 22, 20, 40 | 'six', NULL, NULL, 6

-- title: UNPIVOT leaves NULL out
CREATE TABLE a (k INT, x INT, yy INT);
INSERT INTO a VALUES (1, 10, NULL), (2, 20, 5), (2, 20, 5);
-- stream: incremental
SELECT * FROM a UNPIVOT (val FOR name IN (x, yy));
-- answer: 1, 'x', 10 | 2, 'x', 20 | 2, 'x', 20 | 2, 'yy', 5 | 2, 'yy', 5
-- change: NULL comes and goes
UPDATE a SET yy = 7, x = NULL WHERE k = 1;
INSERT INTO a VALUES (3, NULL, NULL), (NULL, 4, NULL);
-- answer: 1, 'yy', 7 | 2, 'x', 20 | 2, 'x', 20 | 2, 'yy', 5 | 2, 'yy', 5 | NULL, 'x', 4

-- title: an expression over aggregates, and a count of rows
-- lane: spark DuckDB has neither
CREATE TABLE a (g STRING, k STRING, v INT);
INSERT INTO a VALUES ('p', 'x', 1), ('p', 'x', 2), ('p', 'y', 5), ('q', 'x', NULL);
-- stream: incremental
SELECT * FROM a PIVOT (SUM(v) + 1 AS s, COUNT(*) AS n FOR k IN ('x', 'y'));
-- answer: 'p', 4, 2, 6, 1 | 'q', NULL, 1, NULL, NULL
-- change: both groups
UPDATE a SET k = 'y' WHERE v = 2;
DELETE FROM a WHERE g = 'q';
-- answer: 'p', 2, 1, 8, 2
