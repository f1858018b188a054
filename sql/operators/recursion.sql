-- title: trap E7: recursion, a value on the way changes
CREATE TABLE tr (id INT, pid INT, n STRING);
INSERT INTO tr VALUES (1, NULL, 'r'), (2, 1, 'a'), (3, 2, 'b');
-- stream: incremental
WITH RECURSIVE t AS (SELECT id, n AS p FROM tr WHERE pid IS NULL UNION ALL SELECT x.id, concat(t.p, '/', x.n) FROM tr x JOIN t ON x.pid = t.id) SELECT id, p FROM t;
-- answer: 1, 'r' | 2, 'r/a' | 3, 'r/a/b'
-- change: the one in the middle
UPDATE tr SET n = 'A' WHERE id = 2;
-- answer: 1, 'r' | 2, 'r/A' | 3, 'r/A/b'

-- title: trap E8: recursion, one of two ways goes
CREATE TABLE ed (s INT, d INT);
INSERT INTO ed VALUES (1, 2), (1, 3), (2, 4), (3, 4);
-- stream: incremental
WITH RECURSIVE r AS (SELECT 1 AS n, 0 AS h UNION ALL SELECT d, h + 1 FROM ed JOIN r ON s = n WHERE h < 5) SELECT DISTINCT n FROM r;
-- answer: 1 | 2 | 3 | 4
-- change: one way
DELETE FROM ed WHERE s = 2 AND d = 4;
-- expect: nothing
-- answer: 1 | 2 | 3 | 4

-- title: recursion, a branch is cut, grafted and grows
CREATE TABLE node (id INT, pid INT);
INSERT INTO node VALUES (1, NULL), (2, 1), (3, 2), (4, 1);
-- stream: incremental
WITH RECURSIVE t AS (SELECT id, id AS root, 0 AS depth FROM node WHERE pid IS NULL UNION ALL SELECT x.id, t.root, t.depth + 1 FROM t JOIN node x ON x.pid = t.id)
SELECT id, root, depth FROM t;
-- answer: 1, 1, 0 | 2, 1, 1 | 3, 1, 2 | 4, 1, 1
-- change: a link breaks, another root comes with a child
DELETE FROM node WHERE id = 2;
INSERT INTO node VALUES (9, NULL), (10, 9);
-- expect: - 2, 1, 1 | 3, 1, 2
-- expect: + 9, 9, 0 | 10, 9, 1
-- change: the lost branch is grafted elsewhere
UPDATE node SET pid = 10 WHERE id = 3;
INSERT INTO node VALUES (11, 3);
-- expect: + 3, 9, 2 | 11, 9, 3
-- change: copies of a link make copies of what is below
INSERT INTO node VALUES (10, 9);
-- expect: + 10, 9, 1 | 3, 9, 2 | 11, 9, 3
-- change: no roots
UPDATE node SET pid = 1 WHERE pid IS NULL;
-- answer: nothing

-- title: recursion through a cycle, bounded by depth
CREATE TABLE edge (s INT, d INT);
INSERT INTO edge VALUES (1, 2), (2, 3), (3, 1);
-- stream: incremental
WITH RECURSIVE r AS (SELECT 1 AS n, 0 AS depth UNION ALL SELECT e.d, r.depth + 1 FROM r JOIN edge e ON e.s = r.n WHERE r.depth < 6)
SELECT n, MIN(depth) AS nearest, COUNT(*) AS ways FROM r GROUP BY n;
-- answer: 1, 0, 3 | 2, 1, 2 | 3, 2, 2
-- change: a short cut, and a way out
INSERT INTO edge VALUES (1, 3), (3, 4);
-- change: the cycle is cut as another forms
DELETE FROM edge WHERE s = 3 AND d = 1;
INSERT INTO edge VALUES (4, 4);
-- change: no edges
DELETE FROM edge;
-- answer: 1, 0, 1

-- title: who reaches whom, once each
CREATE TABLE edge (s INT, d INT);
INSERT INTO edge VALUES (1, 2), (2, 3), (4, 5);
-- stream: incremental
WITH RECURSIVE r AS (SELECT s, d, 1 AS n FROM edge UNION ALL SELECT r.s, e.d, r.n + 1 FROM r JOIN edge e ON e.s = r.d WHERE r.n < 5)
SELECT DISTINCT s, d FROM r;
-- answer: 1, 2 | 1, 3 | 2, 3 | 4, 5
-- change: a bridge, and a second way
INSERT INTO edge VALUES (3, 4), (1, 3);
-- answer: 1, 2 | 1, 3 | 1, 4 | 1, 5 | 2, 3 | 2, 4 | 2, 5 | 3, 4 | 3, 5 | 4, 5
-- change: one of two ways goes
DELETE FROM edge WHERE s = 1 AND d = 2;
-- expect: - 1, 2
-- change: a cycle closes, another edge goes
INSERT INTO edge VALUES (5, 3);
DELETE FROM edge WHERE s = 2;

-- title: a bill of materials, amounts multiply on the way
CREATE TABLE part (whole STRING, part STRING, n INT);
CREATE TABLE price (part STRING, p INT);
INSERT INTO part VALUES ('bike', 'wheel', 2), ('wheel', 'spoke', 30), ('bike', 'bell', 1);
INSERT INTO price VALUES ('spoke', 1), ('bell', 5);
-- stream: incremental
WITH RECURSIVE t AS (SELECT whole AS top, part, n FROM part UNION ALL SELECT t.top, p.part, t.n * p.n FROM t JOIN part p ON p.whole = t.part)
SELECT t.top, SUM(t.n * price.p) AS cost, COUNT(*) AS kinds FROM t JOIN price ON price.part = t.part GROUP BY t.top;
-- answer: 'bike', 65, 2 | 'wheel', 30, 1
-- change: an amount in the middle, a price
UPDATE part SET n = 32 WHERE part = 'spoke';
UPDATE price SET p = 6 WHERE part = 'bell';
-- answer: 'bike', 70, 2 | 'wheel', 32, 1
-- change: a part is replaced, another comes with its price
UPDATE part SET part = 'horn' WHERE part = 'bell';
INSERT INTO price VALUES ('horn', 9), ('rim', 3);
INSERT INTO part VALUES ('wheel', 'rim', 1);
-- answer: 'bike', 79, 3 | 'wheel', 35, 2

-- title: a step that joins an aggregate and a filter of another table
CREATE TABLE hop (s STRING, d STRING, cost INT);
CREATE TABLE shut (place STRING);
INSERT INTO hop VALUES ('a', 'b', 1), ('a', 'b', 3), ('b', 'c', 1), ('c', 'd', 1);
INSERT INTO shut VALUES ('d');
-- stream: incremental
WITH RECURSIVE r AS (SELECT 'a' AS place, 0 AS cost UNION ALL SELECT h.d, r.cost + h.cost FROM r
JOIN (SELECT s, d, MIN(cost) AS cost FROM hop WHERE d NOT IN (SELECT place FROM shut) GROUP BY s, d) h ON h.s = r.place)
SELECT place, MIN(cost) AS cost FROM r GROUP BY place;
-- answer: 'a', 0 | 'b', 1 | 'c', 2
-- change: the cheap one goes, a place opens
DELETE FROM hop WHERE cost = 1 AND s = 'a';
UPDATE shut SET place = 'x';
-- answer: 'a', 0 | 'b', 3 | 'c', 4 | 'd', 5
-- change: another way, a place shuts
INSERT INTO hop VALUES ('a', 'd', 2);
INSERT INTO shut VALUES ('b');
-- answer: 'a', 0 | 'd', 2

-- title: an anti join and a LEFT JOIN against the rows of a recursion
CREATE TABLE node (id INT, name STRING);
CREATE TABLE edge (s INT, d INT);
INSERT INTO node VALUES (1, 'a'), (2, 'b'), (3, 'c');
INSERT INTO edge VALUES (1, 2);
-- stream: incremental
WITH RECURSIVE r AS (SELECT id, 0 AS h FROM node WHERE name = 'a' UNION ALL SELECT e.d, h + 1 FROM r JOIN edge e ON e.s = r.id WHERE h < 9)
SELECT 'lost' AS how, n.id, 0 AS h FROM node n WHERE NOT EXISTS (SELECT 1 FROM r WHERE r.id = n.id)
UNION ALL SELECT 'found', n.id, m.h FROM node n LEFT JOIN (SELECT id, MIN(h) AS h FROM r GROUP BY id) m ON m.id = n.id;
-- answer: 'lost', 3, 0 | 'found', 1, 0 | 'found', 2, 1 | 'found', 3, NULL
-- change: one is found, another comes
INSERT INTO edge VALUES (2, 3);
INSERT INTO node VALUES (4, 'd');
-- answer: 'lost', 4, 0 | 'found', 1, 0 | 'found', 2, 1 | 'found', 3, 2 | 'found', 4, NULL
-- change: the start moves
UPDATE node SET name = CASE id WHEN 1 THEN 'x' WHEN 2 THEN 'a' ELSE name END;
-- answer: 'lost', 1, 0 | 'lost', 4, 0 | 'found', 1, NULL | 'found', 2, 0 | 'found', 3, 1 | 'found', 4, NULL

-- title: two recursions, one over the rows of the other
CREATE TABLE up (id INT, pid INT);
CREATE TABLE link (s INT, d INT);
INSERT INTO up VALUES (1, 0), (2, 1), (3, 2);
INSERT INTO link VALUES (3, 7), (7, 8), (5, 6);
-- stream: incremental
WITH RECURSIVE t AS (SELECT id, 0 AS h FROM up WHERE pid = 0 UNION ALL SELECT u.id, t.h + 1 FROM t JOIN up u ON u.pid = t.id),
s AS (SELECT id AS n, h AS since, 0 AS h FROM t WHERE h > 0 UNION ALL SELECT l.d, s.since, s.h + 1 FROM s JOIN link l ON l.s = s.n WHERE s.h < 5)
SELECT s.n, s.since, s.h, t.h AS own FROM s LEFT JOIN t ON t.id = s.n;
-- answer: 2, 1, 0, 1 | 3, 2, 0, 2 | 7, 2, 1, NULL | 8, 2, 2, NULL
-- change: both
INSERT INTO up VALUES (5, 2);
UPDATE link SET s = 5 WHERE s = 7;
-- answer: 2, 1, 0, 1 | 3, 2, 0, 2 | 5, 2, 0, 2 | 7, 2, 1, NULL | 8, 2, 1, NULL | 6, 2, 1, NULL
-- change: the root moves down
UPDATE up SET pid = 9 WHERE id = 1;
INSERT INTO up VALUES (9, 0);
DELETE FROM link WHERE d = 7;
-- answer: 1, 1, 0, 1 | 2, 2, 0, 2 | 3, 3, 0, 3 | 5, 3, 0, 3 | 8, 3, 1, NULL | 6, 3, 1, NULL

-- title: a recursion joined with itself
CREATE TABLE node (id INT, pid INT);
INSERT INTO node VALUES (1, NULL), (2, 1), (3, 1), (4, 2);
-- stream: incremental
WITH RECURSIVE t (n, depth) AS (SELECT id, 0 FROM node WHERE pid IS NULL UNION ALL SELECT x.id, depth + 1 FROM node x JOIN t ON x.pid = n)
SELECT a.n, b.n AS m FROM t a JOIN t b ON a.depth = b.depth AND a.n < b.n;
-- answer: 2, 3
-- change: another on each level
INSERT INTO node VALUES (5, 3), (0, NULL);
-- answer: 2, 3 | 4, 5 | 0, 1
-- change: a branch moves up
UPDATE node SET pid = 1 WHERE id = 4;
-- answer: 2, 3 | 2, 4 | 3, 4 | 0, 1

-- title: a recursion that counts, of no table
CREATE TABLE a (x INT);
INSERT INTO a VALUES (2), (9);
-- stream: incremental
WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 4) SELECT n.i, COUNT(a.x) AS c FROM n LEFT JOIN a ON a.x = n.i GROUP BY n.i;
-- answer: 1, 0 | 2, 1 | 3, 0 | 4, 0
-- change: values come and go
INSERT INTO a VALUES (3), (3);
DELETE FROM a WHERE x = 2;
-- answer: 1, 0 | 2, 0 | 3, 2 | 4, 0

-- title: dates without gaps
CREATE TABLE sale (d DATE, v INT);
INSERT INTO sale VALUES (DATE'2024-02-27', 1), (DATE'2024-03-01', 2);
-- stream: incremental
WITH RECURSIVE day AS (SELECT MIN(d) AS d, MAX(d) AS last FROM sale UNION ALL SELECT CAST(d + INTERVAL '1' DAY AS DATE), last FROM day WHERE d < last)
SELECT day.d, coalesce(SUM(sale.v), 0) AS v FROM day LEFT JOIN sale ON sale.d = day.d GROUP BY day.d;
-- answer: DATE'2024-02-27', 1 | DATE'2024-02-28', 0 | DATE'2024-02-29', 0 | DATE'2024-03-01', 2
-- change: the last moves, one comes between
UPDATE sale SET d = DATE'2024-02-29' WHERE v = 2;
INSERT INTO sale VALUES (DATE'2024-02-28', 3);
-- answer: DATE'2024-02-27', 1 | DATE'2024-02-28', 3 | DATE'2024-02-29', 2

-- title: a WITH inside a recursion, for both of its parts
CREATE TABLE edge (x INT, y INT, ok BOOLEAN);
INSERT INTO edge VALUES (1, 2, TRUE), (2, 3, TRUE), (3, 4, FALSE), (3, 1, TRUE);
-- stream: incremental
WITH RECURSIVE path AS (
  WITH good AS (SELECT x, y FROM edge WHERE ok)
  SELECT x, y, 1 AS d FROM good WHERE x = 1 UNION ALL SELECT path.x, good.y, d + 1 FROM path JOIN good ON good.x = path.y WHERE d < 4)
SELECT DISTINCT y FROM path;
-- answer: 2 | 3 | 1
-- change: an edge opens, an edge closes
UPDATE edge SET ok = NOT ok WHERE x = 3;
-- answer: 2 | 3 | 4

-- title: a recursion deeper than Spark goes by itself
CREATE TABLE t (n INT, most INT);
INSERT INTO t VALUES (0, 120);
-- stream: incremental
WITH RECURSIVE r(n, most) MAX RECURSION LEVEL 150 AS (SELECT n, most FROM t UNION ALL SELECT n + 1, most FROM r WHERE n < most)
SELECT MAX(n) AS m, COUNT(*) AS rows FROM r;
-- answer: 120, 121
-- change: one more start, and further
UPDATE t SET most = 130;
INSERT INTO t VALUES (5, 6);
-- answer: 130, 133

-- title: all rows of a recursion are stored: branches move, come and go
CREATE TABLE node (id INT, pid INT);
INSERT INTO node VALUES (1, NULL), (2, 1), (3, 2), (4, 3), (5, 1);
-- stream: incremental
WITH RECURSIVE t AS (SELECT id, 0 AS depth FROM node WHERE pid IS NULL UNION ALL SELECT x.id, t.depth + 1 FROM node x JOIN t ON x.pid = t.id)
SELECT depth * 10 AS indent, id, depth FROM t;
-- answer: 0, 1, 0 | 10, 2, 1 | 20, 3, 2 | 30, 4, 3 | 10, 5, 1
-- change: a branch moves below another, with a new leaf
UPDATE node SET pid = 5 WHERE id = 3;
INSERT INTO node VALUES (6, 4);
-- answer: 0, 1, 0 | 10, 2, 1 | 20, 3, 2 | 30, 4, 3 | 10, 5, 1 | 40, 6, 4
-- change: up, and one link goes
UPDATE node SET pid = 1 WHERE id = 3;
DELETE FROM node WHERE id = 2;
-- expect: - 10, 2, 1 | 20, 3, 2 | 30, 4, 3 | 40, 6, 4
-- expect: + 10, 3, 1 | 20, 4, 2 | 30, 6, 3
-- change: a branch is tied to itself, which is no branch any more
UPDATE node SET pid = 6 WHERE id = 3;
-- answer: 0, 1, 0 | 10, 5, 1
-- change: and is tied to the tree again
UPDATE node SET pid = 5 WHERE id = 3;
-- answer: 0, 1, 0 | 10, 5, 1 | 20, 3, 2 | 30, 4, 3 | 40, 6, 4

-- title: a branch closes to a circle as it is cut off, and its rows would be the same
CREATE TABLE node (id INT, pid INT);
INSERT INTO node VALUES (1, NULL), (2, 1), (3, 2), (4, 3), (9, 1);
-- stream: incremental
WITH RECURSIVE t AS (SELECT id FROM node WHERE pid IS NULL UNION ALL SELECT x.id FROM node x JOIN t ON x.pid = t.id) SELECT id FROM t;
-- answer: 1 | 2 | 3 | 4 | 9
-- change: below the root, below its own leaf
UPDATE node SET pid = 4 WHERE id = 2;
-- answer: 1 | 9
-- change: a copy of the link ties the circle to the tree no more than it was
INSERT INTO node VALUES (8, 9), (5, 4);
-- answer: 1 | 9 | 8
-- change: the circle opens
UPDATE node SET pid = 8 WHERE id = 2;
-- answer: 1 | 9 | 8 | 2 | 3 | 4 | 5

-- title: values on the way take the type of those at the start
CREATE TABLE node (id INT, pid INT, share DECIMAL(5,2));
INSERT INTO node VALUES (1, NULL, 1.00), (2, 1, 0.60), (3, 2, 1.50);
-- stream: incremental
WITH RECURSIVE t AS (SELECT id, CAST(10 AS DECIMAL(12,4)) AS part FROM node WHERE pid IS NULL UNION ALL SELECT x.id, CAST(t.part * x.share AS DECIMAL(12,4)) FROM node x JOIN t ON x.pid = t.id)
SELECT id, part FROM t;
-- answer: 1, 10.0000 | 2, 6.0000 | 3, 9.0000
-- change: on the way and at its end
UPDATE node SET share = 0.33 WHERE id = 2;
INSERT INTO node VALUES (4, 3, 0.01);
-- answer: 1, 10.0000 | 2, 3.3000 | 3, 4.9500 | 4, 0.0495

-- title: both the start and the step of a stored recursion change, and a table that shuts the way
CREATE TABLE start (s INT);
CREATE TABLE edge (s INT, d INT, w INT);
CREATE TABLE shut (d INT);
INSERT INTO start VALUES (1);
INSERT INTO edge VALUES (1, 2, 5), (2, 3, 1), (3, 1, 1), (1, 3, 2);
INSERT INTO shut VALUES (7);
-- stream: incremental
WITH RECURSIVE r AS (SELECT s AS n, 0 AS cost, 0 AS hops FROM start UNION ALL
SELECT e.d, r.cost + e.w, r.hops + 1 FROM r JOIN edge e ON e.s = r.n LEFT ANTI JOIN shut x ON x.d = e.d WHERE r.hops < 3)
SELECT n, cost, hops FROM r;
-- change: another start, a dearer way
INSERT INTO start VALUES (3), (3);
UPDATE edge SET w = 9 WHERE s = 1 AND d = 3;
-- change: a place shuts as another opens
INSERT INTO edge VALUES (3, 4, 1), (4, 7, 1);
UPDATE shut SET d = 2;
-- change: one start goes, one edge doubles
DELETE FROM start WHERE s = 1;
INSERT INTO edge VALUES (3, 1, 1);
-- change: nothing is left to start from
DELETE FROM start;
DELETE FROM shut;
-- answer: nothing
