-- title: trap E6: LATERAL, only the inner table changes
CREATE TABLE p (id INT);
CREATE TABLE c (pid INT, v INT);
INSERT INTO p VALUES (1), (2);
INSERT INTO c VALUES (1, 5);
-- stream: incremental
SELECT p.id, z.m FROM p, LATERAL (SELECT MAX(c.v) AS m FROM c WHERE c.pid = p.id) z;
-- answer: 1, 5 | 2, NULL
-- change: one comes, one goes
INSERT INTO c VALUES (2, 7);
DELETE FROM c WHERE pid = 1;
-- answer: 1, NULL | 2, 7

-- title: LATERAL, aggregates over nothing
CREATE TABLE p (id INT, k INT);
CREATE TABLE c (k INT, v INT);
INSERT INTO p VALUES (1, 1), (2, 2), (2, 2), (3, NULL);
INSERT INTO c VALUES (1, 5), (1, 6), (NULL, 7);
-- stream: incremental
SELECT p.id, z.n, z.s, z.n + 1 AS m FROM p, LATERAL (SELECT COUNT(*) AS n, SUM(v) AS s FROM c WHERE c.k = p.k) z;
-- answer: 1, 2, 11, 3 | 2, 0, NULL, 1 | 2, 0, NULL, 1 | 3, 0, NULL, 1
-- change: both
INSERT INTO c VALUES (2, 1);
DELETE FROM c WHERE k = 1;
UPDATE p SET k = 2 WHERE id = 3;
-- answer: 1, 0, NULL, 1 | 2, 1, 1, 2 | 2, 1, 1, 2 | 3, 1, 1, 2

-- title: LATERAL, rows, the first two of each
CREATE TABLE p (id INT, name STRING);
CREATE TABLE c (pid INT, v INT);
INSERT INTO p VALUES (1, 'a'), (2, 'b');
INSERT INTO c VALUES (1, 1), (1, 2), (1, 3);
-- stream: incremental
SELECT p.name, z.v FROM p, LATERAL (SELECT v FROM c WHERE c.pid = p.id ORDER BY v DESC LIMIT 2) z;
-- answer: 'a', 3 | 'a', 2
-- change: the first goes, the other wins three
DELETE FROM c WHERE v = 3;
INSERT INTO c VALUES (2, 7), (2, 8), (2, 9);
-- answer: 'a', 2 | 'a', 1 | 'b', 9 | 'b', 8
-- change: names and keys
UPDATE p SET name = 'A' WHERE id = 1;
UPDATE c SET pid = 1 WHERE v = 9;
-- answer: 'A', 9 | 'A', 2 | 'b', 8 | 'b', 7

-- title: LEFT JOIN LATERAL keeps what has none
CREATE TABLE p (id INT, least INT);
CREATE TABLE c (pid INT, v INT);
INSERT INTO p VALUES (1, 2), (2, 0);
INSERT INTO c VALUES (1, 1), (1, 3);
-- stream: incremental
SELECT p.id, z.v, z.w FROM p LEFT JOIN LATERAL (SELECT v, v * 10 AS w FROM c WHERE c.pid = p.id AND c.v >= p.least) z ON TRUE;
-- answer: 1, 3, 30 | 2, NULL, NULL
-- change: the limit falls as a row goes, the other wins one
UPDATE p SET least = 0 WHERE id = 1;
DELETE FROM c WHERE v = 3;
INSERT INTO c VALUES (2, 5);
-- answer: 1, 1, 10 | 2, 5, 50
-- change: none
UPDATE p SET least = 9;
-- answer: 1, NULL, NULL | 2, NULL, NULL

-- title: LATERAL of LATERAL, and one that borrows from two tables
CREATE TABLE a (x INT);
CREATE TABLE b (x INT, y INT);
CREATE TABLE c (y INT, v INT);
INSERT INTO a VALUES (1), (2);
INSERT INTO b VALUES (1, 10), (1, 20), (2, 10);
INSERT INTO c VALUES (10, 1), (20, 2), (10, 3);
-- stream: incremental
SELECT a.x, s.y, t.total, t.scaled FROM a, LATERAL (SELECT b.y FROM b WHERE b.x = a.x) s, LATERAL (SELECT SUM(c.v) AS total, SUM(c.v * a.x) AS scaled FROM c WHERE c.y = s.y) t;
-- answer: 1, 10, 4, 4 | 1, 20, 2, 2 | 2, 10, 4, 8
-- change: all three
INSERT INTO a VALUES (3);
UPDATE b SET x = 3 WHERE y = 20;
DELETE FROM c WHERE v = 3;
-- answer: 1, 10, 1, 1 | 2, 10, 1, 2 | 3, 20, 2, 6
-- change: the innermost is gone
DELETE FROM c WHERE y = 10;
-- answer: 1, 10, NULL, NULL | 2, 10, NULL, NULL | 3, 20, 2, 6

-- title: LATERAL that only computes
CREATE TABLE a (x INT, y INT);
INSERT INTO a VALUES (1, 2), (1, 2), (NULL, 3);
-- stream: incremental
SELECT a.x, z.s, w.d FROM a, LATERAL (SELECT a.x + a.y AS s) z, LATERAL (SELECT z.s * 2 AS d) w WHERE w.d IS NOT NULL;
-- answer: 1, 3, 6 | 1, 3, 6
-- change: NULL fills, a copy goes
UPDATE a SET x = 0 WHERE x IS NULL;
INSERT INTO a VALUES (5, 5);
-- answer: 1, 3, 6 | 1, 3, 6 | 0, 3, 6 | 5, 10, 20

-- title: LATERAL by an inequality, grouped inside
CREATE TABLE span (name STRING, lo INT, hi INT);
CREATE TABLE e (k STRING, ts INT);
INSERT INTO span VALUES ('early', 0, 10), ('late', 10, 20), ('none', 5, 5);
INSERT INTO e VALUES ('x', 1), ('x', 11), ('y', 2);
-- stream: incremental
SELECT span.name, z.k, z.n FROM span, LATERAL (SELECT k, COUNT(*) AS n FROM e WHERE e.ts >= span.lo AND e.ts < span.hi GROUP BY k HAVING COUNT(*) > 0) z;
-- answer: 'early', 'x', 1 | 'early', 'y', 1 | 'late', 'x', 1
-- change: a span widens, events move
UPDATE span SET hi = 7 WHERE name = 'none';
UPDATE e SET ts = 6 WHERE k = 'y';
INSERT INTO e VALUES ('x', 11);
-- answer: 'early', 'x', 1 | 'early', 'y', 1 | 'late', 'x', 2 | 'none', 'y', 1

-- title: as-of join by LATERAL
CREATE TABLE trade (id INT, sym STRING, ts INT);
CREATE TABLE quote (sym STRING, ts INT, price INT);
INSERT INTO trade VALUES (1, 'a', 10), (2, 'b', 10);
INSERT INTO quote VALUES ('a', 5, 100), ('a', 11, 110);
-- stream: incremental
SELECT t.id, q.price FROM trade t LEFT JOIN LATERAL (SELECT price FROM quote WHERE quote.sym = t.sym AND quote.ts <= t.ts ORDER BY quote.ts DESC LIMIT 1) q ON TRUE;
-- answer: 1, 100 | 2, NULL
-- change: a late quote, a later trade
INSERT INTO quote VALUES ('a', 9, 105), ('b', 1, 7);
INSERT INTO trade VALUES (3, 'a', 12);
-- answer: 1, 105 | 2, 7 | 3, 110
-- change: matches go
DELETE FROM quote WHERE price IN (105, 110, 7);
-- answer: 1, 100 | 2, NULL | 3, 100

-- title: LATERAL subqueries without names, the last over the columns of the others
CREATE TABLE a (id INT, v INT);
CREATE TABLE b (id INT, w INT);
INSERT INTO a VALUES (1, 10), (2, NULL);
INSERT INTO b VALUES (1, 3), (1, 4);
-- stream: incremental
SELECT a.id, p, q, r FROM a, LATERAL (SELECT SUM(w) AS p FROM b WHERE b.id = a.id), LATERAL (SELECT a.v - 1 AS q), LATERAL (SELECT p + q AS r);
-- answer: 1, 7, 9, 16 | 2, NULL, NULL, NULL
-- change: both tables
UPDATE a SET v = 5 WHERE id = 2;
INSERT INTO b VALUES (2, 1);
DELETE FROM b WHERE w = 4;
-- answer: 1, 3, 9, 12 | 2, 1, 4, 5
