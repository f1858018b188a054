-- title: a value leaves only with its last copy
CREATE TABLE t (id INT, v STRING);
INSERT INTO t VALUES (1, 'x'), (2, 'x'), (3, NULL);
-- stream: incremental
SELECT DISTINCT v FROM t;
-- answer: 'x' | NULL
-- change: one of two copies goes
DELETE FROM t WHERE id = 1;
-- expect: nothing
-- change: the last copy goes
DELETE FROM t WHERE id = 2;
-- expect: - 'x'
-- answer: NULL
-- change: NULL doubles
INSERT INTO t VALUES (4, NULL);
-- expect: nothing
-- change: both NULLs go
DELETE FROM t;
-- expect: - NULL
-- change: three copies come at once
INSERT INTO t VALUES (5, 'y'), (6, 'y'), (7, 'y');
-- expect: + 'y'
-- change: three copies go at once
DELETE FROM t;
-- expect: - 'y'

-- title: trap D1: copies counted over a join
CREATE TABLE a (x INT);
CREATE TABLE b (x INT, y STRING);
INSERT INTO a VALUES (1), (2);
INSERT INTO b VALUES (1, 's'), (2, 's');
-- stream: incremental
SELECT DISTINCT b.y FROM a JOIN b ON a.x = b.x;
-- answer: 's'
-- change: one way to it goes
DELETE FROM a WHERE x = 1;
-- expect: nothing
-- change: the other goes, a new one comes
DELETE FROM b WHERE x = 2;
INSERT INTO a VALUES (1);
-- expect: nothing
-- change: the last goes
DELETE FROM a;
-- expect: - 's'

-- title: several columns, NULL in each place
CREATE TABLE t (x STRING, y STRING);
INSERT INTO t VALUES (NULL, 'a'), ('a', NULL), (NULL, NULL), ('a', 'b:c');
-- stream: incremental
SELECT DISTINCT x, y FROM t;
-- change: look-alikes come
INSERT INTO t VALUES (NULL, 'a'), ('a:b', 'c'), ('', NULL);
-- expect: + 'a:b', 'c' | '', NULL
-- change: one of the pair goes
DELETE FROM t WHERE x IS NULL AND y = 'a';
DELETE FROM t WHERE x = 'a' AND y IS NULL;
-- expect: - NULL, 'a' | 'a', NULL

-- title: a copy goes and another comes in one refresh
CREATE TABLE t (id INT, v INT);
INSERT INTO t VALUES (1, 5);
-- stream: incremental
SELECT DISTINCT v FROM t;
-- change: by another row
DELETE FROM t WHERE id = 1;
INSERT INTO t VALUES (2, 5);
-- expect: nothing
-- change: by an update of the key
UPDATE t SET v = 6;
-- expect: - 5
-- expect: + 6

-- title: DISTINCT of DISTINCT, of an expression, and of a constant
CREATE TABLE t (v INT);
-- stream: incremental
SELECT DISTINCT half, 'k' AS k FROM (SELECT DISTINCT floor(v / 2) AS half FROM t) z;
-- answer: nothing
-- change: two that meet
INSERT INTO t VALUES (2), (3);
-- answer: 1, 'k'
-- change: one of them goes
DELETE FROM t WHERE v = 2;
-- expect: nothing

-- title: DISTINCT below an aggregate and a join with the same table
CREATE TABLE t (g STRING, v INT);
INSERT INTO t VALUES ('p', 1), ('p', 1), ('p', 2), (NULL, 1);
-- stream: incremental
SELECT d.g, count(*) AS n, sum(d.v) AS s FROM (SELECT DISTINCT g, v FROM t) d JOIN t ON t.g <=> d.g GROUP BY d.g;
-- answer: 'p', 6, 9 | NULL, 1, 1
-- change: a copy goes, a value goes
DELETE FROM t WHERE v = 2;
INSERT INTO t VALUES (NULL, 1), (NULL, 2);
-- answer: 'p', 2, 2 | NULL, 6, 9
