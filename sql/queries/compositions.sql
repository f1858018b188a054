-- title: chained LEFT JOINs of aggregating CTEs
CREATE TABLE c (id INT, name STRING);
CREATE TABLE o (id INT, cid INT);
CREATE TABLE i (oid INT, v INT);
INSERT INTO c VALUES (1, 'Ann'), (2, 'Ben'), (3, 'Cat');
INSERT INTO o VALUES (10, 1), (11, 1), (12, 2);
INSERT INTO i VALUES (10, 5), (10, 6), (12, 1);
-- stream: incremental
WITH per_order AS (SELECT o.id, o.cid, COUNT(i.v) AS n, SUM(i.v) AS s FROM o LEFT JOIN i ON i.oid = o.id GROUP BY o.id, o.cid),
per_customer AS (SELECT cid, COUNT(*) AS orders, SUM(n) AS n, MAX(s) AS top FROM per_order GROUP BY cid)
SELECT c.name, coalesce(p.orders, 0) AS orders, p.n, p.top FROM c LEFT JOIN per_customer p ON p.cid = c.id;
-- answer: 'Ann', 2, 2, 11 | 'Ben', 1, 1, 1 | 'Cat', 0, NULL, NULL
-- change: the leaf, the middle and the root
INSERT INTO i VALUES (11, 20), (11, NULL);
UPDATE o SET cid = 3 WHERE id = 12;
UPDATE c SET name = 'Bob' WHERE id = 2;
-- answer: 'Ann', 2, 3, 20 | 'Bob', 0, NULL, NULL | 'Cat', 1, 1, 1
-- change: all orders of one lose their items, a customer goes
DELETE FROM i WHERE oid IN (10, 11);
DELETE FROM c WHERE id = 2;
-- answer: 'Ann', 2, 0, NULL | 'Cat', 1, 1, 1

-- title: two, and three, aggregates that change at once
CREATE TABLE a (g INT, v INT);
CREATE TABLE b (g INT, v INT);
CREATE TABLE c (g INT, v INT);
INSERT INTO a VALUES (1, 1), (1, 2), (2, 4);
INSERT INTO b VALUES (1, 10);
INSERT INTO c VALUES (2, 100), (3, 200);
-- stream: incremental
SELECT coalesce(x.g, y.g, z.g) AS g, x.s, y.m, z.n FROM (SELECT g, SUM(v) AS s FROM a GROUP BY g) x
FULL JOIN (SELECT g, MIN(v) AS m FROM b GROUP BY g) y ON y.g = x.g LEFT JOIN (SELECT g, COUNT(*) AS n FROM c GROUP BY g) z ON z.g = x.g;
-- answer: 1, 3, 10, NULL | 2, 4, NULL, 1
-- change: two of them
INSERT INTO a VALUES (3, 8);
INSERT INTO b VALUES (1, 9), (2, 5);
-- answer: 1, 3, 9, NULL | 2, 4, 5, 1 | 3, 8, NULL, 1
-- change: all three
DELETE FROM a WHERE g = 2;
UPDATE b SET v = 11 WHERE v = 9;
INSERT INTO c VALUES (1, 0), (3, 0);
-- answer: 1, 3, 10, 1 | 2, NULL, 5, NULL | 3, 8, NULL, 2

-- title: aggregates that can and cannot be taken apart, side by side
CREATE TABLE a (g STRING, v INT);
CREATE TABLE b (g STRING, w INT);
INSERT INTO a VALUES ('p', 1), ('p', 1), ('p', 5), ('q', 3);
INSERT INTO b VALUES ('p', 2), ('q', 7);
-- stream: incremental
SELECT a.g, COUNT(*) AS n, SUM(v) AS s, MIN(v) AS lo, MAX(w) AS hi, COUNT(DISTINCT v) AS d, MEDIAN(v) AS m, BOOL_AND(v > 1) AS every
FROM a JOIN b ON a.g = b.g GROUP BY a.g;
-- change: the least and the greatest on both sides
DELETE FROM a WHERE v = 1;
INSERT INTO b VALUES ('p', 9), ('q', 1);
-- change: singletons, NULL
UPDATE a SET v = NULL WHERE g = 'q';
DELETE FROM b WHERE w IN (2, 9);
-- change: they come back
INSERT INTO a VALUES ('q', 0);
INSERT INTO b VALUES ('p', 0);

-- title: the winners of several groups change, least and greatest
CREATE TABLE a (g INT, id INT, v INT);
CREATE TABLE d (g INT, name STRING);
INSERT INTO a VALUES (1, 1, 5), (1, 2, 7), (2, 3, 5), (2, 4, 5), (3, 5, 1);
INSERT INTO d VALUES (1, 'x'), (2, 'y'), (3, 'z');
-- stream: incremental
SELECT d.name, MIN(a.v) AS lo, MAX(a.v) AS hi, MIN(a.id) AS first FROM d LEFT JOIN a ON a.g = d.g GROUP BY d.name;
-- answer: 'x', 5, 7, 1 | 'y', 5, 5, 3 | 'z', 1, 1, 5
-- change: a new least, a new greatest, a singleton empties
INSERT INTO a VALUES (1, 6, 4), (2, 7, 9);
DELETE FROM a WHERE g = 3;
-- answer: 'x', 4, 7, 1 | 'y', 5, 9, 3 | 'z', NULL, NULL, NULL
-- change: the winners go, a label moves, the empty one fills
DELETE FROM a WHERE id IN (2, 6, 7);
UPDATE d SET name = 'x' WHERE g = 2;
INSERT INTO a VALUES (3, 8, 2);
-- answer: 'x', 5, 5, 1 | 'z', 2, 2, 8

-- title: keys that turn NULL and back, in a join and a group
CREATE TABLE a (k INT, g STRING, v INT);
CREATE TABLE b (k INT, h STRING);
INSERT INTO a VALUES (1, 'p', 1), (NULL, NULL, 2), (2, NULL, 4);
INSERT INTO b VALUES (1, 'x'), (2, NULL), (NULL, 'n');
-- stream: incremental
SELECT a.g, b.h, SUM(a.v) AS s, COUNT(*) AS n FROM a LEFT JOIN b ON b.k = a.k GROUP BY a.g, b.h;
-- answer: 'p', 'x', 1, 1 | NULL, NULL, 6, 2
-- change: to NULL
UPDATE a SET k = NULL WHERE v = 1;
UPDATE b SET k = NULL WHERE k = 2;
-- answer: 'p', NULL, 1, 1 | NULL, NULL, 6, 2
-- change: from NULL
UPDATE a SET k = 1, g = coalesce(g, 'p') WHERE k IS NULL;
UPDATE b SET k = 2 WHERE h = 'n';
-- answer: 'p', 'x', 3, 2 | NULL, 'n', 4, 1

-- title: CTEs that read CTEs, under several names
CREATE TABLE a (id INT, v INT);
CREATE TABLE b (id INT, w INT);
INSERT INTO a VALUES (1, 1), (2, 2), (3, 3);
INSERT INTO b VALUES (1, 10), (3, 30);
-- stream: incremental
WITH x AS (SELECT a.id, v + coalesce(w, 0) AS t FROM a LEFT JOIN b ON a.id = b.id), y (k, total) AS (SELECT id % 2, SUM(t) FROM x GROUP BY id % 2),
z AS (SELECT p.k, p.total - q.total AS ahead FROM y p JOIN y q ON p.k <> q.k)
SELECT x.id, z.ahead, y.total FROM x JOIN z ON z.k = x.id % 2 JOIN y ON y.k = z.k WHERE z.ahead > 0;
-- answer: 1, 42, 44 | 3, 42, 44
-- change: both sources
INSERT INTO b VALUES (2, 100);
DELETE FROM a WHERE id = 3;
-- answer: 2, 91, 102
-- change: one group is left
DELETE FROM a WHERE id = 2;
DELETE FROM b WHERE id = 1;
-- answer: nothing

-- title: a join of a LEFT JOIN of joins, all leaves change
CREATE TABLE a (id INT, k INT);
CREATE TABLE b (k INT, m INT);
CREATE TABLE c (m INT, v STRING);
CREATE TABLE d (id INT, z INT);
INSERT INTO a VALUES (1, 1), (2, 2);
INSERT INTO b VALUES (1, 5), (2, 6);
INSERT INTO c VALUES (5, 'x'), (5, 'x');
INSERT INTO d VALUES (1, 0), (2, 0);
-- stream: incremental
SELECT d.z, t.id, t.v FROM (SELECT a.id, s.v FROM a LEFT JOIN (SELECT b.k, c.v FROM b JOIN c ON b.m = c.m) s ON s.k = a.k) t JOIN d ON d.id = t.id;
-- answer: 0, 1, 'x' | 0, 1, 'x' | 0, 2, NULL
-- change: all four
INSERT INTO a VALUES (3, 2);
UPDATE b SET m = 5 WHERE k = 2;
UPDATE c SET v = 'y';
INSERT INTO d VALUES (3, 1), (3, 1);
-- answer: 0, 1, 'y' | 0, 1, 'y' | 0, 2, 'y' | 0, 2, 'y' | 1, 3, 'y' | 1, 3, 'y' | 1, 3, 'y' | 1, 3, 'y'
-- change: all four again
DELETE FROM c;
INSERT INTO c VALUES (5, 'z'), (6, 'w');
DELETE FROM b WHERE k = 1;
UPDATE a SET k = 1 WHERE id = 3;
DELETE FROM d WHERE id = 2;
-- answer: 0, 1, NULL | 1, 3, NULL | 1, 3, NULL

-- title: a join beside an aggregate of the same rows
CREATE TABLE o (id INT, cid INT, v INT);
CREATE TABLE c (id INT, name STRING);
INSERT INTO o VALUES (1, 1, 5), (2, 1, 5), (3, 2, 1);
INSERT INTO c VALUES (1, 'Ann'), (2, 'Ben');
-- stream: incremental
SELECT c.name, o.v, t.s, t.n FROM o JOIN c ON c.id = o.cid JOIN (SELECT cid, SUM(v) AS s, COUNT(*) AS n FROM o GROUP BY cid) t ON t.cid = o.cid;
-- answer: 'Ann', 5, 10, 2 | 'Ann', 5, 10, 2 | 'Ben', 1, 1, 1
-- change: equal rows part, a name
UPDATE o SET v = 6 WHERE id = 2;
UPDATE c SET name = 'Bob' WHERE id = 2;
-- answer: 'Ann', 5, 11, 2 | 'Ann', 6, 11, 2 | 'Bob', 1, 1, 1
-- change: a row moves to the other
UPDATE o SET cid = 2 WHERE id = 1;
DELETE FROM c WHERE id = 1;
-- answer: 'Bob', 5, 6, 2 | 'Bob', 1, 6, 2

-- title: a narrow view of a wide table
CREATE TABLE w (a INT, b STRING, c DECIMAL(10,2), d DATE, e DOUBLE, f BOOLEAN, g BIGINT, h STRING);
CREATE TABLE k (g BIGINT, n STRING);
INSERT INTO w VALUES (1, 'x', 1.50, DATE'2024-01-01', 1.5, TRUE, 1, 'h'), (2, 'y', 2.50, NULL, NULL, FALSE, 1, 'h'), (3, 'z', 0, NULL, 0, NULL, NULL, NULL);
INSERT INTO k VALUES (1, 'one');
-- stream: incremental
SELECT k.n, w.f FROM w LEFT JOIN k ON k.g = w.g WHERE w.c > 1;
-- answer: 'one', TRUE | 'one', FALSE
-- change: what nobody reads
UPDATE w SET a = a + 1, b = 'q', d = DATE'2025-01-01', e = 0, h = NULL;
-- expect: nothing
-- change: the filter and the key
UPDATE w SET c = 5 WHERE c = 0;
UPDATE k SET g = 2;
-- answer: NULL, TRUE | NULL, FALSE | NULL, NULL

-- title: as one SELECT, inlined, and as a CTE, it is the same
CREATE TABLE a (id INT, g INT);
CREATE TABLE b (g INT, v INT);
INSERT INTO a VALUES (1, 1), (2, 1), (3, 2);
INSERT INTO b VALUES (1, 5), (1, 6);
-- stream: incremental
WITH s AS (SELECT a.id, b.v FROM a LEFT JOIN b ON a.g = b.g)
(SELECT id, COUNT(v) AS n FROM s GROUP BY id EXCEPT ALL SELECT id, COUNT(v) FROM (SELECT a.id, b.v FROM a LEFT JOIN b ON a.g = b.g) t GROUP BY id)
UNION ALL (SELECT a.id, (SELECT COUNT(v) FROM b WHERE b.g = a.g) FROM a EXCEPT ALL SELECT id, COUNT(v) FROM s GROUP BY id);
-- answer: nothing
-- change: both
INSERT INTO b VALUES (2, NULL), (2, 1);
UPDATE a SET g = 2 WHERE id = 2;
-- expect: nothing
-- change: both again
DELETE FROM b WHERE g = 1;
INSERT INTO a VALUES (4, NULL);
-- expect: nothing

-- title: interval join of two streams, LEFT, counted
CREATE TABLE ad (id INT, u STRING, ts INT);
CREATE TABLE click (u STRING, ts INT);
INSERT INTO ad VALUES (1, 'a', 0), (2, 'a', 100), (3, 'b', 0);
INSERT INTO click VALUES ('a', 5), ('a', 9), ('b', 50);
-- stream: incremental
SELECT ad.id, COUNT(click.ts) AS clicks, MIN(click.ts) - ad.ts AS delay FROM ad LEFT JOIN click ON click.u = ad.u AND click.ts BETWEEN ad.ts AND ad.ts + 10 GROUP BY ad.id, ad.ts;
-- answer: 1, 2, 5 | 2, 0, NULL | 3, 0, NULL
-- change: late clicks, an ad moves
INSERT INTO click VALUES ('a', 101), ('a', 0);
UPDATE ad SET ts = 45 WHERE id = 3;
-- answer: 1, 3, 0 | 2, 1, 1 | 3, 1, 5
-- change: the first click goes, the ad of another
DELETE FROM click WHERE ts IN (0, 50);
DELETE FROM ad WHERE id = 2;
-- answer: 1, 2, 5 | 3, 0, NULL

-- title: one refresh of many changes is many refreshes of one
CREATE TABLE l (id INT, k INT);
CREATE TABLE r (k INT, v INT);
INSERT INTO l VALUES (1, 1), (2, 2);
INSERT INTO r VALUES (1, 10), (2, 20);
-- stream: incremental
SELECT l.k, SUM(r.v) AS s, COUNT(*) AS n FROM l FULL JOIN r ON l.k = r.k GROUP BY l.k;
-- change: all at once
INSERT INTO l VALUES (3, 3);
DELETE FROM r WHERE k = 1;
UPDATE l SET k = 1 WHERE id = 2;
INSERT INTO r VALUES (3, 30), (1, 11);
-- answer: 1, 22, 2 | 3, 30, 1 | NULL, 20, 1
-- change: back to the start, the first
DELETE FROM l WHERE id = 3;
INSERT INTO r VALUES (1, 10);
-- change: the second
UPDATE l SET k = 2 WHERE id = 2;
DELETE FROM r WHERE v IN (30, 11);
-- answer: 1, 10, 1 | 2, 20, 1
