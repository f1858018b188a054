-- title: trap A7: two matches come together for an unmatched row
CREATE TABLE l (id INT);
CREATE TABLE r (lid INT, v INT);
INSERT INTO l VALUES (1);
-- stream: full OUTER_JOIN
SELECT l.id, COUNT(*) AS n, COUNT(r.v) AS m FROM l LEFT JOIN r ON r.lid = l.id GROUP BY l.id;
-- answer: 1, 1, 0
-- change: they come
INSERT INTO r VALUES (1, 5), (1, 6);
-- answer: 1, 2, 2

-- title: trap A8: the last two matches leave together
CREATE TABLE l (id INT);
CREATE TABLE r (lid INT, v INT);
INSERT INTO l VALUES (1);
INSERT INTO r VALUES (1, 5), (1, 6);
-- stream: full OUTER_JOIN
SELECT l.id, r.v FROM l LEFT JOIN r ON r.lid = l.id;
-- answer: 1, 5 | 1, 6
-- change: they leave
DELETE FROM r;
-- answer: 1, NULL

-- title: trap A9: a row and its first match are both new
CREATE TABLE l (id INT);
CREATE TABLE r (lid INT, v INT);
INSERT INTO l VALUES (9);
-- stream: full OUTER_JOIN
SELECT l.id, r.v FROM l LEFT JOIN r ON r.lid = l.id;
-- answer: 9, NULL
-- change: both come
INSERT INTO l VALUES (1);
INSERT INTO r VALUES (1, 5);
-- expect: + 1, 5
-- answer: 1, 5 | 9, NULL

-- title: trap A10: a match is replaced by another
CREATE TABLE l (id INT);
CREATE TABLE r (lid INT, v INT);
INSERT INTO l VALUES (1);
INSERT INTO r VALUES (1, 5);
-- stream: full OUTER_JOIN
SELECT l.id, r.v FROM l LEFT JOIN r ON r.lid = l.id;
-- change: no NULL between
DELETE FROM r WHERE v = 5;
INSERT INTO r VALUES (1, 6);
-- expect: - 1, 5
-- expect: + 1, 6

-- title: trap A11: the label changes while a match goes
CREATE TABLE d (id INT, p STRING);
CREATE TABLE e (did INT, n STRING);
INSERT INTO d VALUES (1, 'Eng');
INSERT INTO e VALUES (1, 'Al'), (1, 'Bo');
-- stream: full OUTER_JOIN
SELECT d.p, COUNT(e.n) AS c FROM d LEFT JOIN e ON e.did = d.id GROUP BY d.p;
-- answer: 'Eng', 2
-- change: both
UPDATE d SET p = 'RnD';
DELETE FROM e WHERE n = 'Bo';
-- answer: 'RnD', 1

-- title: trap A12: FULL JOIN, a pair splits
CREATE TABLE l (k INT, v STRING);
CREATE TABLE r (k INT, w STRING);
INSERT INTO l VALUES (1, 'a');
INSERT INTO r VALUES (1, 'x');
-- stream: full OUTER_JOIN
SELECT l.k AS lk, l.v, r.k AS rk, r.w FROM l FULL JOIN r ON l.k = r.k;
-- answer: 1, 'a', 1, 'x'
-- change: the key moves
UPDATE l SET k = 2;
-- answer: 2, 'a', NULL, NULL | NULL, NULL, 1, 'x'

-- title: trap A13: FULL JOIN, NULL keys never match
CREATE TABLE l (k INT, v STRING);
CREATE TABLE r (k INT, w STRING);
INSERT INTO l VALUES (NULL, 'a');
INSERT INTO r VALUES (NULL, 'x');
-- stream: full OUTER_JOIN
SELECT l.v, r.w FROM l FULL JOIN r ON l.k = r.k;
-- answer: NULL, 'x' | 'a', NULL
-- change: another NULL
INSERT INTO l VALUES (NULL, 'b');
-- answer: NULL, 'x' | 'a', NULL | 'b', NULL

-- title: trap A14: a part of ON that is no equality flips
CREATE TABLE l (id INT);
CREATE TABLE r (lid INT, c STRING);
INSERT INTO l VALUES (1);
INSERT INTO r VALUES (1, 'ok');
-- stream: full OUTER_JOIN
SELECT l.id, r.c FROM l LEFT JOIN r ON r.lid = l.id AND r.c <> 'bad';
-- answer: 1, 'ok'
-- change: it turns bad
UPDATE r SET c = 'bad';
-- answer: 1, NULL

-- title: trap B1: NOT IN, a NULL comes
CREATE TABLE a (x INT);
CREATE TABLE b (y INT);
INSERT INTO a VALUES (1), (2);
INSERT INTO b VALUES (2);
-- stream: full SUBQUERY
SELECT x FROM a WHERE x NOT IN (SELECT y FROM b);
-- answer: 1
-- change: NULL
INSERT INTO b VALUES (NULL);
-- answer: nothing

-- title: trap B2: NOT IN of nothing keeps NULL
CREATE TABLE a (x INT);
CREATE TABLE b (y INT);
INSERT INTO a VALUES (1), (NULL);
INSERT INTO b VALUES (5);
-- stream: full SUBQUERY
SELECT x FROM a WHERE x NOT IN (SELECT y FROM b);
-- answer: 1
-- change: it empties
DELETE FROM b;
-- answer: 1 | NULL

-- title: trap B3: one of two matches goes
CREATE TABLE a (x INT);
CREATE TABLE b (y INT);
INSERT INTO a VALUES (1);
INSERT INTO b VALUES (1), (1);
-- stream: full SUBQUERY
SELECT x FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.y = a.x);
-- change: one stays
DELETE FROM b;
INSERT INTO b VALUES (1);
-- expect: nothing
-- answer: 1

-- title: trap B4: a row loses one of two reasons
CREATE TABLE a (x INT, v INT);
CREATE TABLE b (y INT);
INSERT INTO a VALUES (1, 100);
INSERT INTO b VALUES (1);
-- stream: full SUBQUERY
SELECT x FROM a WHERE v > 50 OR EXISTS (SELECT 1 FROM b WHERE b.y = a.x);
-- change: the other stays
UPDATE a SET v = 10;
-- expect: nothing
-- answer: 1

-- title: trap B5: different rows are equal once projected
CREATE TABLE a (x INT, v INT);
CREATE TABLE b (y INT);
INSERT INTO a VALUES (1, 100);
-- stream: full SUBQUERY
SELECT v FROM a WHERE v > 50 OR EXISTS (SELECT 1 FROM b WHERE b.y = a.x);
-- answer: 100
-- change: an equal one
INSERT INTO a VALUES (2, 100);
-- answer: 100 | 100

-- title: trap B6: EXISTS with HAVING crosses its threshold
CREATE TABLE a (x INT);
CREATE TABLE b (y INT, m INT);
INSERT INTO a VALUES (1);
INSERT INTO b VALUES (1, 60);
-- stream: full SUBQUERY
SELECT x FROM a WHERE EXISTS (SELECT y FROM b WHERE b.y = a.x GROUP BY y HAVING SUM(m) > 100);
-- answer: nothing
-- change: it crosses
INSERT INTO b VALUES (1, 60);
-- answer: 1

-- title: trap B7: COUNT of no rows is 0, MAX is NULL
CREATE TABLE a (x INT);
CREATE TABLE b (y INT);
INSERT INTO a VALUES (1);
INSERT INTO b VALUES (1);
-- stream: full SUBQUERY
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
-- stream: full SUBQUERY
SELECT x, (SELECT MAX(y) FROM b) AS m FROM a;
-- answer: 1, 5 | 2, 5
-- change: a greater one
INSERT INTO b VALUES (9);
-- answer: 1, 9 | 2, 9

-- title: trap B9: another group becomes the greatest
CREATE TABLE a (id INT, s INT);
INSERT INTO a VALUES (1, 10), (2, 20);
-- stream: full SUBQUERY
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

-- title: trap B10: greater than all of nothing, and of NULL
CREATE TABLE a (x INT);
CREATE TABLE b (y INT);
INSERT INTO a VALUES (5);
INSERT INTO b VALUES (1), (NULL);
-- stream: full SUBQUERY
SELECT x FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE (a.x > b.y) IS NOT TRUE);
-- answer: nothing
-- change: NULL goes
DELETE FROM b WHERE y IS NULL;
-- answer: 5

-- title: trap B11: NOT EXISTS with an inequality, both sides change
CREATE TABLE li (o INT, s INT, late BOOLEAN);
INSERT INTO li VALUES (1, 1, TRUE), (1, 2, FALSE);
-- stream: full SUBQUERY
SELECT o, s FROM li x WHERE late AND EXISTS (SELECT 1 FROM li y WHERE y.o = x.o AND y.s <> x.s)
AND NOT EXISTS (SELECT 1 FROM li z WHERE z.o = x.o AND z.s <> x.s AND z.late);
-- answer: 1, 1
-- change: they swap
UPDATE li SET late = NOT late;
-- answer: 1, 2

-- title: trap C12: ROLLUP, a NULL of the data and a NULL of the total
CREATE TABLE a (g STRING, v INT);
INSERT INTO a VALUES (NULL, 1), ('p', 2);
-- stream: full GROUPING_SETS
SELECT g, GROUPING(g) AS gg, SUM(v) AS s FROM a GROUP BY ROLLUP (g);
-- answer: NULL, 0, 1 | NULL, 1, 3 | 'p', 0, 2
-- change: the NULL of the data goes
DELETE FROM a WHERE g IS NULL;
-- answer: NULL, 1, 2 | 'p', 0, 2

-- title: trap E1: a row moves to another window
CREATE TABLE a (id INT, g STRING, v INT);
INSERT INTO a VALUES (1, 'p', 1), (2, 'p', 2), (3, 'q', 3);
-- stream: full WINDOW
SELECT id, ROW_NUMBER() OVER (PARTITION BY g ORDER BY v) AS rn FROM a;
-- answer: 1, 1 | 2, 2 | 3, 1
-- change: it moves
UPDATE a SET g = 'q' WHERE id = 1;
-- answer: 1, 1 | 2, 1 | 3, 2

-- title: trap E2: the window's key is not shown
CREATE TABLE a (id INT, g STRING, v INT);
INSERT INTO a VALUES (1, 'p', 1), (2, 'p', 2);
-- stream: full WINDOW
SELECT v, SUM(v) OVER (PARTITION BY g) AS s FROM a;
-- answer: 1, 3 | 2, 3
-- change: one goes
DELETE FROM a WHERE id = 2;
-- answer: 1, 1

-- title: trap E3: the first goes, the second comes
CREATE TABLE a (id INT, g STRING, v INT);
INSERT INTO a VALUES (1, 'p', 10), (2, 'p', 20);
-- stream: full WINDOW
SELECT id, g, v FROM (SELECT id, g, v, ROW_NUMBER() OVER (PARTITION BY g ORDER BY v DESC) AS rn FROM a) z WHERE rn = 1;
-- answer: 2, 'p', 20
-- change: the first goes
DELETE FROM a WHERE id = 2;
-- answer: 1, 'p', 10

-- title: trap E4: the third comes when the first goes
CREATE TABLE a (id INT, g STRING, v INT);
INSERT INTO a VALUES (1, 'p', 10), (2, 'p', 20), (3, 'p', 30);
-- stream: full LIMIT
SELECT id FROM a ORDER BY v DESC, id LIMIT 2;
-- answer: 2 | 3
-- change: the first goes
DELETE FROM a WHERE id = 3;
-- answer: 1 | 2

-- title: trap E5: a window over an aggregate
CREATE TABLE a (id INT, g STRING, v INT);
INSERT INTO a VALUES (1, 'p', 10), (2, 'q', 20);
-- stream: full WINDOW
SELECT g, SUM(v) AS s, RANK() OVER (ORDER BY SUM(v) DESC) AS r FROM a GROUP BY g;
-- answer: 'p', 10, 2 | 'q', 20, 1
-- change: the ranks swap
INSERT INTO a VALUES (3, 'p', 50);
-- answer: 'p', 60, 1 | 'q', 20, 2

-- title: trap E6: LATERAL, only the inner table changes
CREATE TABLE p (id INT);
CREATE TABLE c (pid INT, v INT);
INSERT INTO p VALUES (1), (2);
INSERT INTO c VALUES (1, 5);
-- stream: full LATERAL
SELECT p.id, z.m FROM p, LATERAL (SELECT MAX(c.v) AS m FROM c WHERE c.pid = p.id) z;
-- answer: 1, 5 | 2, NULL
-- change: one comes, one goes
INSERT INTO c VALUES (2, 7);
DELETE FROM c WHERE pid = 1;
-- answer: 1, NULL | 2, 7

-- title: trap E7: recursion, a value on the way changes
CREATE TABLE tr (id INT, pid INT, n STRING);
INSERT INTO tr VALUES (1, NULL, 'r'), (2, 1, 'a'), (3, 2, 'b');
-- stream: full RECURSION
WITH RECURSIVE t AS (SELECT id, n AS p FROM tr WHERE pid IS NULL UNION ALL SELECT x.id, concat(t.p, '/', x.n) FROM tr x JOIN t ON x.pid = t.id) SELECT id, p FROM t;
-- answer: 1, 'r' | 2, 'r/a' | 3, 'r/a/b'
-- change: the one in the middle
UPDATE tr SET n = 'A' WHERE id = 2;
-- answer: 1, 'r' | 2, 'r/A' | 3, 'r/A/b'

-- title: trap E8: recursion, one of two ways goes
CREATE TABLE ed (s INT, d INT);
INSERT INTO ed VALUES (1, 2), (1, 3), (2, 4), (3, 4);
-- stream: full RECURSION
WITH RECURSIVE r AS (SELECT 1 AS n, 0 AS h UNION ALL SELECT d, h + 1 FROM ed JOIN r ON s = n WHERE h < 5) SELECT DISTINCT n FROM r;
-- answer: 1 | 2 | 3 | 4
-- change: one way
DELETE FROM ed WHERE s = 2 AND d = 4;
-- expect: nothing
-- answer: 1 | 2 | 3 | 4

-- title: LATERAL VIEW and explode
-- lane: spark their syntax is its own
CREATE TABLE a (id INT, l ARRAY<INT>);
INSERT INTO a VALUES (1, array(1, 2)), (2, array());
-- stream: full LATERAL
SELECT id, x FROM a LATERAL VIEW explode(l) v AS x;
-- answer: 1, 1 | 1, 2
-- change: an empty list fills
UPDATE a SET l = array(7) WHERE id = 2;
-- answer: 1, 1 | 1, 2 | 2, 7

-- title: the first value that is met
-- lane: spark it orders the rows of one file
CREATE TABLE a (g STRING, v INT);
INSERT INTO a VALUES ('p', 1);
-- stream: full ORDER_DEPENDENT
SELECT g, first(v) AS v FROM a GROUP BY g;
-- answer: 'p', 1
-- change: another group
INSERT INTO a VALUES ('q', 2);
-- answer: 'p', 1 | 'q', 2

-- title: semi and anti joins
-- lane: spark their syntax is its own
CREATE TABLE a (x INT);
CREATE TABLE b (y INT);
INSERT INTO a VALUES (1), (2), (NULL);
INSERT INTO b VALUES (1), (1);
-- stream: full OUTER_JOIN
SELECT 'with' AS how, x FROM a LEFT SEMI JOIN b ON x = y UNION ALL SELECT 'without', x FROM a LEFT ANTI JOIN b ON x = y;
-- answer: 'with', 1 | 'without', 2 | 'without', NULL
-- change: both
DELETE FROM b;
INSERT INTO b VALUES (2), (NULL);
-- answer: 'with', 2 | 'without', 1 | 'without', NULL
