-- title: trap B7: COUNT of no rows is 0, MAX is NULL
CREATE TABLE a (x INT);
CREATE TABLE b (y INT);
INSERT INTO a VALUES (1);
INSERT INTO b VALUES (1);
-- stream: incremental
SELECT x, (SELECT COUNT(*) FROM b WHERE b.y = a.x) AS n, (SELECT MAX(y) FROM b WHERE b.y = a.x) AS m FROM a;
-- answer: 1, 1, 1
-- change: it empties
DELETE FROM b;
-- answer: 1, 0, NULL

-- title: trap B8: one value changes every row
CREATE TABLE a (x INT);
CREATE TABLE b (y INT);
INSERT INTO a VALUES (1), (2);
INSERT INTO b VALUES (5);
-- stream: incremental
SELECT x, (SELECT MAX(y) FROM b) AS m FROM a;
-- answer: 1, 5 | 2, 5
-- change: a greater one
INSERT INTO b VALUES (9);
-- answer: 1, 9 | 2, 9

-- title: trap B9: another group becomes the greatest
CREATE TABLE a (id INT, s INT);
INSERT INTO a VALUES (1, 10), (2, 20);
-- stream: incremental
SELECT id FROM (SELECT id, SUM(s) AS t FROM a GROUP BY id) z WHERE t = (SELECT MAX(t2) FROM (SELECT SUM(s) AS t2 FROM a GROUP BY id) y);
-- answer: 2
-- change: the smaller grows
INSERT INTO a VALUES (1, 15);
-- answer: 1

-- title: trap B9 written as a join
CREATE TABLE a (id INT, s INT);
INSERT INTO a VALUES (1, 10), (2, 20);
-- stream: incremental
WITH z AS (SELECT id, SUM(s) AS t FROM a GROUP BY id) SELECT id FROM z JOIN (SELECT MAX(t) AS m FROM z) y ON z.t = y.m;
-- answer: 2
-- change: the smaller grows
INSERT INTO a VALUES (1, 15);
-- answer: 1
-- change: a tie
INSERT INTO a VALUES (2, 5);
-- answer: 1 | 2

-- title: correlated aggregates, COUNT and SUM of nothing, NULL keys
CREATE TABLE a (id INT, x INT);
CREATE TABLE b (x INT, v INT);
INSERT INTO a VALUES (1, 1), (2, 2), (3, NULL), (1, 1);
INSERT INTO b VALUES (1, 5), (1, NULL), (NULL, 7);
-- stream: incremental
SELECT id, (SELECT COUNT(*) FROM b WHERE b.x = a.x) AS n, (SELECT COUNT(v) + 1 FROM b WHERE b.x = a.x) AS c,
(SELECT SUM(v) FROM b WHERE b.x = a.x) AS s, (SELECT coalesce(SUM(v), -1) FROM b WHERE b.x = a.x) AS d,
(SELECT COUNT(*) FROM b WHERE b.x <=> a.x) AS m FROM a;
-- answer: 1, 2, 2, 5, 5, 2 | 1, 2, 2, 5, 5, 2 | 2, 0, 1, NULL, -1, 0 | 3, 0, 1, NULL, -1, 1
-- change: rows come to the empty, go from the full
INSERT INTO b VALUES (2, NULL);
DELETE FROM b WHERE x = 1;
-- answer: 1, 0, 1, NULL, -1, 0 | 1, 0, 1, NULL, -1, 0 | 2, 1, 1, NULL, -1, 1 | 3, 0, 1, NULL, -1, 1
-- change: keys move on both sides, NULL too
UPDATE b SET x = 2 WHERE x IS NULL;
UPDATE a SET x = 2 WHERE id = 3;
UPDATE a SET x = NULL WHERE id = 1;
-- answer: 1, 0, 1, NULL, -1, 0 | 1, 0, 1, NULL, -1, 0 | 2, 2, 2, 7, 7, 2 | 3, 2, 2, 7, 7, 2
-- change: all go
DELETE FROM b;
DELETE FROM a WHERE id = 1;
-- answer: 2, 0, 1, NULL, -1, 0 | 3, 0, 1, NULL, -1, 0

-- title: correlated by an inequality, and by both
CREATE TABLE a (id INT, k STRING, ts INT);
CREATE TABLE b (k STRING, ts INT, v INT);
INSERT INTO a VALUES (1, 'p', 10), (2, 'p', 20), (3, 'q', 10), (4, NULL, 10), (5, 'p', NULL);
INSERT INTO b VALUES ('p', 5, 1), ('p', 15, 2), ('q', 11, 3), (NULL, 1, 9);
-- stream: incremental
SELECT id, (SELECT COUNT(*) FROM b WHERE b.ts < a.ts) AS before, (SELECT MAX(b.v) FROM b WHERE b.k = a.k AND b.ts <= a.ts) AS latest FROM a;
-- answer: 1, 2, 1 | 2, 4, 2 | 3, 2, NULL | 4, 2, NULL | 5, 0, NULL
-- change: late rows come, one moves behind
INSERT INTO b VALUES ('p', 8, 7), ('q', 9, 4);
UPDATE b SET ts = 21 WHERE ts = 15;
UPDATE a SET ts = 30 WHERE id = 5;
-- answer: 1, 4, 7 | 2, 5, 7 | 3, 4, 4 | 4, 4, NULL | 5, 6, 7
-- change: the greatest goes, a key becomes NULL
DELETE FROM b WHERE v = 7;
UPDATE a SET k = NULL WHERE id = 3;
UPDATE a SET k = 'q' WHERE id = 4;
-- answer: 1, 3, 1 | 2, 4, 1 | 3, 3, NULL | 4, 3, 4 | 5, 5, 2

-- title: a scalar subquery in WHERE, correlated
CREATE TABLE e (id INT, dept STRING, pay INT);
INSERT INTO e VALUES (1, 'a', 10), (2, 'a', 20), (3, 'b', 5), (4, NULL, 50);
-- stream: incremental
SELECT id FROM e x WHERE pay > (SELECT AVG(y.pay) FROM e y WHERE y.dept = x.dept);
-- answer: 2
-- change: the average of each moves
INSERT INTO e VALUES (5, 'a', 60), (6, 'b', 1);
-- answer: 3 | 5
-- change: one moves to the other department, one leaves
UPDATE e SET dept = 'b' WHERE id = 5;
DELETE FROM e WHERE id = 6;
-- answer: 2 | 5
-- change: the department of NULL gets a name
UPDATE e SET dept = 'a' WHERE dept IS NULL;
INSERT INTO e VALUES (7, 'b', NULL);
-- answer: 4 | 5

-- title: a scalar subquery without correlation in SELECT, WHERE and HAVING
CREATE TABLE a (g STRING, v INT);
CREATE TABLE b (y INT);
INSERT INTO a VALUES ('p', 1), ('p', 2), ('q', 9);
INSERT INTO b VALUES (2);
-- stream: incremental
SELECT 'select' AS how, g, v * (SELECT SUM(y) FROM b) AS n FROM a
UNION ALL SELECT 'where', g, v FROM a WHERE v >= (SELECT MIN(y) FROM b)
UNION ALL SELECT 'having', g, SUM(v) FROM a GROUP BY g HAVING SUM(v) > (SELECT MAX(y) FROM b) + (SELECT COUNT(*) FROM b);
-- answer: 'select', 'p', 2 | 'select', 'p', 4 | 'select', 'q', 18 | 'where', 'p', 2 | 'where', 'q', 9 | 'having', 'q', 9
-- change: both sides
INSERT INTO b VALUES (5);
INSERT INTO a VALUES ('p', 5);
DELETE FROM a WHERE g = 'q';
-- answer: 'select', 'p', 7 | 'select', 'p', 14 | 'select', 'p', 35 | 'where', 'p', 2 | 'where', 'p', 5 | 'having', 'p', 8
-- change: there is no value
DELETE FROM b;
INSERT INTO a VALUES ('q', 1);
-- answer: 'select', 'p', NULL | 'select', 'p', NULL | 'select', 'p', NULL | 'select', 'q', NULL
-- change: the value is NULL
INSERT INTO b VALUES (NULL);
-- expect: nothing
-- change: it is the same by other rows
DELETE FROM b;
INSERT INTO b VALUES (1), (0);
-- answer: 'select', 'p', 1 | 'select', 'p', 2 | 'select', 'p', 5 | 'select', 'q', 1 | 'where', 'p', 1 | 'where', 'p', 2 | 'where', 'p', 5 | 'where', 'q', 1 | 'having', 'p', 8

-- title: a value that does not change changes nothing
CREATE TABLE a (x INT);
CREATE TABLE b (y INT);
INSERT INTO a VALUES (1), (2);
INSERT INTO b VALUES (9), (1);
-- stream: incremental
SELECT x, (SELECT MAX(y) FROM b) AS m FROM a;
-- change: other rows, the same maximum
UPDATE b SET y = 2 WHERE y = 1;
INSERT INTO b VALUES (9), (0);
-- expect: nothing
-- change: a row comes as the maximum stays
DELETE FROM b WHERE y = 2;
INSERT INTO a VALUES (3);
-- expect: + 3, 9

-- title: nested two levels
-- lane: duckdb Spark 4.2 ends in an internal error
CREATE TABLE a (x INT);
CREATE TABLE b (x INT, y INT);
CREATE TABLE c (y INT, v INT);
INSERT INTO a VALUES (1), (2), (3);
INSERT INTO b VALUES (1, 10), (1, 20), (2, 30);
INSERT INTO c VALUES (10, 5), (20, 7), (30, 1), (30, 2);
-- stream: incremental
SELECT x, (SELECT SUM((SELECT MAX(c.v) FROM c WHERE c.y = b.y)) FROM b WHERE b.x = a.x) AS s,
(SELECT COUNT(*) FROM b WHERE b.x = a.x AND b.y > (SELECT MIN(c.y) FROM c)) AS n FROM a;
-- answer: 1, 12, 1 | 2, 2, 1 | 3, NULL, 0
-- change: the innermost maximum goes, the least key too
DELETE FROM c WHERE v IN (2, 5);
INSERT INTO b VALUES (3, 20);
-- answer: 1, 7, 0 | 2, 1, 1 | 3, 7, 0
-- change: all three
INSERT INTO c VALUES (10, 1), (20, 8);
UPDATE b SET x = 3 WHERE y = 30;
DELETE FROM a WHERE x = 1;
-- answer: 2, NULL, 0 | 3, 9, 2

-- title: inside CASE, functions and arithmetic
CREATE TABLE a (id INT, k INT, v INT);
CREATE TABLE b (k INT, v INT);
INSERT INTO a VALUES (1, 1, 10), (2, 2, 0), (3, 3, NULL);
INSERT INTO b VALUES (1, 4), (1, 6);
-- stream: incremental
SELECT id, CASE WHEN a.v > (SELECT SUM(b.v) FROM b WHERE b.k = a.k) THEN 'more' WHEN EXISTS (SELECT 1 FROM b WHERE b.k = a.k) THEN 'less' ELSE 'none' END AS how,
coalesce(a.v, 0) - coalesce((SELECT SUM(b.v) FROM b WHERE b.k = a.k), 0) AS rest FROM a;
-- answer: 1, 'less', 0 | 2, 'none', 0 | 3, 'none', 0
-- change: sums cross
UPDATE b SET v = 5 WHERE v = 6;
INSERT INTO b VALUES (2, 3);
UPDATE a SET v = 1 WHERE id = 3;
-- answer: 1, 'more', 1 | 2, 'less', -3 | 3, 'none', 1
-- change: a key moves
UPDATE b SET k = 3 WHERE k = 2;
DELETE FROM b WHERE v = 4;
-- answer: 1, 'more', 5 | 2, 'none', 0 | 3, 'less', -2

-- title: the row of a key, by a subquery without an aggregate
CREATE TABLE a (id INT, k INT);
CREATE TABLE b (k INT, v STRING);
INSERT INTO a VALUES (1, 1), (2, 2), (3, NULL);
INSERT INTO b VALUES (1, 'x'), (3, 'z'), (3, 'z');
-- stream: incremental
SELECT id, (SELECT b.v FROM b WHERE b.k = a.k) AS v FROM a;
-- answer: 1, 'x' | 2, NULL | 3, NULL
-- change: one for another, one comes
DELETE FROM b WHERE v = 'x';
INSERT INTO b VALUES (1, 'X'), (2, 'y');
INSERT INTO a VALUES (4, 1);
-- answer: 1, 'X' | 2, 'y' | 3, NULL | 4, 'X'
-- change: the value is NULL, the row is gone
UPDATE b SET v = NULL WHERE k = 1;
DELETE FROM b WHERE k = 2;
-- answer: 1, NULL | 2, NULL | 3, NULL | 4, NULL

-- title: the only row of a table, by a subquery without an aggregate
CREATE TABLE a (x INT);
CREATE TABLE rate (r INT);
INSERT INTO a VALUES (1), (2);
-- stream: incremental
SELECT x, x * (SELECT r FROM rate) AS y FROM a;
-- answer: 1, NULL | 2, NULL
-- change: the row comes
INSERT INTO rate VALUES (3);
DELETE FROM a WHERE x = 1;
-- answer: 2, 6
-- change: another in its place
UPDATE rate SET r = 4;
INSERT INTO a VALUES (5);
-- answer: 2, 8 | 5, 20
-- change: it goes
DELETE FROM rate;
-- answer: 2, NULL | 5, NULL

-- title: the first of an order, by LIMIT 1
CREATE TABLE a (id INT, k INT);
CREATE TABLE b (k INT, ts INT, v STRING);
INSERT INTO a VALUES (1, 1), (2, 2);
INSERT INTO b VALUES (1, 1, 'old'), (1, 2, 'new');
-- stream: incremental
SELECT id, (SELECT v FROM b WHERE b.k = a.k ORDER BY ts DESC LIMIT 1) AS latest, (SELECT v FROM b ORDER BY ts, v LIMIT 1) AS first FROM a;
-- answer: 1, 'new', 'old' | 2, NULL, 'old'
-- change: the newest goes, an older comes
DELETE FROM b WHERE ts = 2;
INSERT INTO b VALUES (2, 0, 'oldest');
-- answer: 1, 'old', 'oldest' | 2, 'oldest', 'oldest'
-- change: both sides
INSERT INTO b VALUES (2, 9, 'newest'), (1, 0, 'zero');
INSERT INTO a VALUES (3, 3);
UPDATE a SET k = 2 WHERE id = 1;
-- answer: 1, 'newest', 'oldest' | 2, 'newest', 'oldest' | 3, NULL, 'oldest'

-- title: a subquery over the grouped rows around it
CREATE TABLE a (g STRING, v INT);
CREATE TABLE b (g STRING, goal INT);
INSERT INTO a VALUES ('p', 5), ('p', 6), ('q', 1), (NULL, 2);
INSERT INTO b VALUES ('p', 10);
-- stream: incremental
SELECT g, s, (SELECT MAX(goal) FROM b WHERE b.g = t.g) AS goal, s - (SELECT COUNT(*) FROM b WHERE b.g = t.g) AS rest
FROM (SELECT g, SUM(v) AS s FROM a GROUP BY g) t;
-- answer: 'p', 11, 10, 10 | 'q', 1, NULL, 1 | NULL, 2, NULL, 2
-- change: goals come and go, sums move
INSERT INTO b VALUES ('q', 3), ('q', 4), (NULL, 1);
DELETE FROM b WHERE g = 'p';
UPDATE a SET g = 'q' WHERE v = 6;
-- answer: 'p', 5, NULL, 5 | 'q', 7, 4, 5 | NULL, 2, NULL, 2
-- change: a group goes and one comes
DELETE FROM a WHERE g IS NULL;
INSERT INTO a VALUES ('r', 0);
INSERT INTO b VALUES ('r', 0);
-- answer: 'p', 5, NULL, 5 | 'q', 7, 4, 5 | 'r', 0, 0, -1

-- title: a subquery inside an aggregate
CREATE TABLE a (g STRING, k INT);
CREATE TABLE b (k INT, v INT);
INSERT INTO a VALUES ('p', 1), ('p', 2), ('q', 1);
INSERT INTO b VALUES (1, 10), (1, 5);
-- stream: incremental
SELECT g, SUM(s) AS s, COUNT(s) AS n FROM (SELECT g, (SELECT SUM(v) FROM b WHERE b.k = a.k) AS s FROM a) z GROUP BY g;
-- answer: 'p', 15, 1 | 'q', 15, 1
-- change: both
INSERT INTO b VALUES (2, 1), (1, -5);
UPDATE a SET k = 2 WHERE g = 'q';
-- answer: 'p', 11, 2 | 'q', 1, 1

-- title: a CTE used three times
CREATE TABLE o (cid INT, amount INT);
CREATE TABLE c (id INT, name STRING);
INSERT INTO o VALUES (1, 10), (1, 5), (2, 20), (3, 1);
INSERT INTO c VALUES (1, 'Ann'), (2, 'Ben'), (3, 'Cat');
-- stream: incremental
WITH t (cid, total) AS (SELECT cid, SUM(amount) FROM o GROUP BY cid)
SELECT c.name, t.total, (SELECT MAX(total) FROM t) - t.total AS behind FROM t JOIN c ON c.id = t.cid WHERE t.total > (SELECT AVG(total) FROM t);
-- answer: 'Ann', 15, 5 | 'Ben', 20, 0
-- change: the order turns
INSERT INTO o VALUES (3, 99);
UPDATE c SET name = 'Cid' WHERE id = 3;
-- answer: 'Cid', 100, 0
-- change: the first goes
DELETE FROM o WHERE cid = 3;
DELETE FROM c WHERE id = 2;
INSERT INTO o VALUES (2, 1);
-- answer: nothing
-- change: it comes back
INSERT INTO c VALUES (2, 'Bob');
INSERT INTO o VALUES (1, -1);
-- answer: 'Bob', 21, 0

-- title: who earns the most of a department, ties and all
CREATE TABLE e (id INT, dept STRING, pay INT);
CREATE TABLE d (name STRING);
INSERT INTO e VALUES (1, 'a', 10), (2, 'a', 10), (3, 'b', 5), (4, 'b', NULL);
INSERT INTO d VALUES ('a'), ('b'), ('c');
-- stream: incremental
SELECT d.name, e.id FROM d JOIN e ON e.dept = d.name WHERE e.pay = (SELECT MAX(x.pay) FROM e x WHERE x.dept = d.name);
-- answer: 'a', 1 | 'a', 2 | 'b', 3
-- change: one of the tie earns more, another gets a pay
UPDATE e SET pay = 11 WHERE id = 1;
UPDATE e SET pay = 5 WHERE id = 4;
-- answer: 'a', 1 | 'b', 3 | 'b', 4
-- change: the best moves, a department goes
UPDATE e SET dept = 'c' WHERE id = 1;
DELETE FROM d WHERE name = 'b';
-- answer: 'a', 2 | 'c', 1

-- title: as-of join by a correlated MAX
CREATE TABLE trade (id INT, sym STRING, ts INT);
CREATE TABLE quote (sym STRING, ts INT, price INT);
INSERT INTO trade VALUES (1, 'a', 10), (2, 'a', 20), (3, 'b', 10);
INSERT INTO quote VALUES ('a', 5, 100), ('a', 15, 110);
-- stream: incremental
SELECT t.id, q.price FROM trade t JOIN quote q ON q.sym = t.sym
AND q.ts = (SELECT MAX(x.ts) FROM quote x WHERE x.sym = t.sym AND x.ts <= t.ts);
-- answer: 1, 100 | 2, 110
-- change: a late quote, an earlier trade
INSERT INTO quote VALUES ('a', 9, 105), ('b', 9, 1), ('b', 9, 2);
UPDATE trade SET ts = 14 WHERE id = 2;
-- answer: 1, 105 | 2, 105 | 3, 1 | 3, 2
-- change: the match goes, the next best comes
DELETE FROM quote WHERE ts = 9;
INSERT INTO trade VALUES (4, 'a', 15);
-- answer: 1, 100 | 2, 100 | 4, 110

-- title: a subquery in ON of an inner join and in a filter of an aggregate's rows
CREATE TABLE a (id INT, k INT);
CREATE TABLE b (k INT, v INT);
CREATE TABLE c (least INT);
INSERT INTO a VALUES (1, 1), (2, 2);
INSERT INTO b VALUES (1, 5), (2, 1);
INSERT INTO c VALUES (3);
-- stream: incremental
SELECT a.id, b.v FROM a JOIN b ON a.k = b.k AND b.v > (SELECT MAX(least) FROM c);
-- answer: 1, 5
-- change: the threshold falls, a key moves
UPDATE c SET least = 0;
UPDATE b SET k = 2 WHERE v = 5;
-- answer: 2, 5 | 2, 1
-- change: there is none
DELETE FROM c;
INSERT INTO b VALUES (1, 9);
-- answer: nothing

-- title: derived tables within derived tables
CREATE TABLE a (id INT, g STRING, v INT);
CREATE TABLE b (g STRING, w INT);
INSERT INTO a VALUES (1, 'p', 1), (2, 'p', 2), (3, 'q', 3);
INSERT INTO b VALUES ('p', 10);
-- stream: incremental
SELECT g, top, (SELECT COUNT(*) FROM b WHERE b.w > z.top) AS above FROM
(SELECT g, MAX(s) AS top FROM (SELECT a.g, a.v + coalesce(b.w, 0) AS s FROM a LEFT JOIN b ON a.g = b.g) y GROUP BY g) z WHERE top > 2;
-- answer: 'p', 12, 0 | 'q', 3, 1
-- change: both
INSERT INTO b VALUES ('q', 1), ('r', 100);
UPDATE a SET g = 'q' WHERE id = 2;
-- answer: 'p', 11, 1 | 'q', 4, 2
-- change: it shrinks
DELETE FROM b WHERE g IN ('p', 'q');
DELETE FROM a WHERE id = 3;
-- answer: nothing

-- title: an uncorrelated subquery inside a correlated one
CREATE TABLE a (x INT);
CREATE TABLE b (x INT, v INT);
CREATE TABLE c (n INT);
INSERT INTO a VALUES (1), (2);
INSERT INTO b VALUES (1, 1), (1, 5), (2, 5);
INSERT INTO c VALUES (2);
-- stream: incremental
SELECT x, (SELECT COUNT(*) FROM b WHERE b.x = a.x AND b.v IN (SELECT v FROM b WHERE v > (SELECT SUM(n) FROM c))) AS k FROM a;
-- answer: 1, 1 | 2, 1
-- change: the threshold falls, a row goes
UPDATE c SET n = 0;
DELETE FROM b WHERE x = 2;
-- answer: 1, 2 | 2, 0
-- change: it rises past all
INSERT INTO c VALUES (9);
INSERT INTO a VALUES (1);
-- answer: 1, 0 | 1, 0 | 2, 0

-- title: set operations and DISTINCT inside a subquery
CREATE TABLE a (x INT);
CREATE TABLE b (x INT, v INT);
CREATE TABLE c (x INT, v INT);
INSERT INTO a VALUES (1), (2);
INSERT INTO b VALUES (1, 1), (1, 1), (2, 7);
INSERT INTO c VALUES (1, 1), (1, 2);
-- stream: incremental
SELECT x, (SELECT COUNT(*) FROM (SELECT v FROM b WHERE b.x = a.x UNION SELECT v FROM c WHERE c.x = a.x) u) AS n,
(SELECT COUNT(DISTINCT v) FROM b WHERE b.x = a.x) AS d FROM a;
-- answer: 1, 2, 1 | 2, 1, 1
-- change: both
INSERT INTO c VALUES (2, 7), (2, 8);
DELETE FROM b WHERE x = 1;
INSERT INTO a VALUES (3);
-- answer: 1, 2, 0 | 2, 2, 1 | 3, 0, 0

-- title: a list of no rows is empty
-- lane: spark its functions of that name are its own
CREATE TABLE a (id INT);
CREATE TABLE b (aid INT, v INT);
INSERT INTO a VALUES (1), (2);
INSERT INTO b VALUES (1, 5), (1, 6);
-- stream: incremental
SELECT id, (SELECT size(collect_list(v)) FROM b WHERE b.aid = a.id) AS n, (SELECT sort_array(collect_set(v)) FROM b WHERE b.aid = a.id) AS l FROM a;
-- change: one has them no more, the other has
UPDATE b SET aid = 2;

-- title: CTEs of a subquery that read the row around it
CREATE TABLE a (id INT, v INT);
CREATE TABLE b (aid INT, w INT);
INSERT INTO a VALUES (1, 2), (2, 5), (NULL, 1);
INSERT INTO b VALUES (1, 1), (1, 3), (2, 4);
-- stream: incremental
SELECT a.id, (WITH mine(x) AS (SELECT w FROM b WHERE b.aid = a.id), best AS (SELECT MAX(x) AS m FROM mine) SELECT m FROM best) AS m
FROM a WHERE NOT EXISTS (WITH mine AS (SELECT w FROM b WHERE b.aid = a.id) SELECT 1 FROM mine p JOIN mine q ON p.w > q.w AND p.w > a.v);
-- answer: 2, 4 | NULL, NULL
-- change: both tables
INSERT INTO b VALUES (2, 6);
UPDATE a SET v = 3 WHERE id = 1;
-- answer: 1, 3 | NULL, NULL

-- title: groups by a subquery with a WITH of its own
CREATE TABLE t (v INT);
CREATE TABLE e (b INT);
INSERT INTO t VALUES (1), (2), (2);
INSERT INTO e VALUES (2);
-- stream: incremental
SELECT v IN (WITH q AS (SELECT b FROM e) SELECT b FROM q) AS f, count(*) AS c FROM t GROUP BY 1;
-- answer: false, 1 | true, 2
-- change: both tables
INSERT INTO e VALUES (1);
DELETE FROM t WHERE v = 2;
INSERT INTO t VALUES (3);
-- answer: false, 1 | true, 1

-- title: only groups matter that a filtered table asks for
CREATE TABLE sold (item INT, n INT);
CREATE TABLE items (item INT, kind STRING);
INSERT INTO items VALUES (1, 'a'), (2, 'b'), (3, 'a'), (NULL, 'a');
INSERT INTO sold VALUES (1, 1), (1, 5), (2, 1), (2, 9), (3, 4), (NULL, 2);
-- stream: incremental
SELECT s.item, s.n, i.kind FROM sold s JOIN items i ON s.item = i.item AND i.kind = 'a'
WHERE s.n < (SELECT avg(n) FROM sold o WHERE o.item = i.item);
-- answer: 1, 1, 'a'
-- change: groups that are asked for and others, and rows without an item
INSERT INTO sold VALUES (3, 40), (2, 90), (4, 1), (NULL, 7);
DELETE FROM sold WHERE item = 1 AND n = 5;
-- answer: 3, 4, 'a'
-- change: what is asked for changes with them
UPDATE items SET kind = 'a' WHERE item = 2;
DELETE FROM items WHERE item = 3;
DELETE FROM sold WHERE n = 90 OR n = 40;
INSERT INTO sold VALUES (1, 2);
-- answer: 1, 1, 'a' | 2, 1, 'a'
-- change: a group comes and one goes
INSERT INTO items VALUES (7, 'a');
DELETE FROM sold WHERE item = 1;
INSERT INTO sold VALUES (7, 1), (7, 2);
-- answer: 2, 1, 'a' | 7, 1, 'a'

-- title: a group that nothing asks for is shown where both sides are
CREATE TABLE sold (item INT, n INT);
CREATE TABLE items (item INT, kind STRING);
INSERT INTO items VALUES (1, 'a'), (2, 'b');
INSERT INTO sold VALUES (1, 1), (2, 2);
-- stream: incremental
SELECT i.item, g.item AS sold, g.total FROM (SELECT item FROM items WHERE kind = 'a') i
FULL JOIN (SELECT item, sum(n) AS total FROM sold GROUP BY item) g ON i.item = g.item;
-- change: a group on either side
INSERT INTO sold VALUES (2, 5), (3, 1);
DELETE FROM sold WHERE item = 1;
-- answer: NULL, 2, 7 | NULL, 3, 1 | 1, NULL, NULL

-- title: groups that are joined with a filtered table, and stand elsewhere with all
CREATE TABLE sold (item INT, n INT);
CREATE TABLE items (item INT, kind STRING);
INSERT INTO items VALUES (1, 'a'), (2, 'b');
INSERT INTO sold VALUES (1, 1), (2, 2), (3, 3);
-- stream: incremental
WITH g AS (SELECT item, sum(n) AS total FROM sold GROUP BY item)
SELECT i.item, g.total, (SELECT max(total) FROM g) AS most FROM items i JOIN g ON i.item = g.item WHERE i.kind = 'a';
-- answer: 1, 1, 3
-- change: the largest is none of those
INSERT INTO sold VALUES (2, 7), (1, 1);
UPDATE sold SET n = 1 WHERE item = 3;
-- answer: 1, 2, 9
