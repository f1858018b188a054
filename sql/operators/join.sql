-- title: trap A1: the old half of an update meets the old other side
CREATE TABLE l (id INT, k INT);
CREATE TABLE r (k INT, n STRING);
INSERT INTO l VALUES (1, 7);
INSERT INTO r VALUES (7, 'x'), (8, 'y');
-- stream: incremental
SELECT l.id, r.n FROM l JOIN r ON l.k = r.k;
-- answer: 1, 'x'
-- change: the key moves, and what it met goes
UPDATE l SET k = 8 WHERE id = 1;
DELETE FROM r WHERE k = 7;
-- expect: - 1, 'x'
-- expect: + 1, 'y'
-- answer: 1, 'y'

-- title: trap A2: both partners go at once
CREATE TABLE l (id INT, k INT);
CREATE TABLE r (k INT, n STRING);
INSERT INTO l VALUES (1, 7), (2, 7);
INSERT INTO r VALUES (7, 'x'), (7, 'x');
-- stream: incremental
SELECT l.id, r.n FROM l JOIN r ON l.k = r.k;
-- answer: 1, 'x' | 1, 'x' | 2, 'x' | 2, 'x'
-- change: one left row and all right rows
DELETE FROM l WHERE id = 1;
DELETE FROM r;
-- answer: nothing

-- title: trap A3: both partners come at once
CREATE TABLE l (id INT, k INT);
CREATE TABLE r (k INT, n STRING);
INSERT INTO l VALUES (9, 9);
-- stream: incremental
SELECT l.id, r.n FROM l JOIN r ON l.k = r.k;
-- answer: nothing
-- change: they come
INSERT INTO l VALUES (1, 7);
INSERT INTO r VALUES (7, 'x');
-- answer: 1, 'x'

-- title: trap A4: two matches give equal rows
CREATE TABLE l (id INT, k INT);
CREATE TABLE r (k INT, n STRING);
INSERT INTO l VALUES (1, 7);
INSERT INTO r VALUES (7, 'x');
-- stream: incremental
SELECT l.id, r.n FROM l JOIN r ON l.k = r.k;
-- answer: 1, 'x'
-- change: an equal right row
INSERT INTO r VALUES (7, 'x');
-- answer: 1, 'x' | 1, 'x'

-- title: trap A5: a chain of three, all of which change
CREATE TABLE a (id INT, v STRING);
CREATE TABLE b (id INT, aid INT);
CREATE TABLE c (id INT, bid INT);
INSERT INTO a VALUES (1, 'p'), (2, 'q');
INSERT INTO b VALUES (10, 1), (11, 2);
INSERT INTO c VALUES (100, 10), (101, 11);
-- stream: incremental
SELECT a.v, b.id AS bid, c.id AS cid FROM a JOIN b ON b.aid = a.id JOIN c ON c.bid = b.id;
-- answer: 'p', 10, 100 | 'q', 11, 101
-- change: all three
UPDATE a SET v = 'P' WHERE id = 1;
UPDATE b SET aid = 1 WHERE id = 11;
DELETE FROM c WHERE id = 100;
-- answer: 'P', 11, 101

-- title: trap A6: a table joined with itself
CREATE TABLE s (id INT, g INT);
INSERT INTO s VALUES (1, 1), (2, 1);
-- stream: incremental
SELECT x.id AS a, y.id AS b FROM s x JOIN s y ON x.g = y.g AND x.id < y.id;
-- answer: 1, 2
-- change: two come, one goes
INSERT INTO s VALUES (3, 1), (4, 1);
DELETE FROM s WHERE id = 1;
-- answer: 2, 3 | 2, 4 | 3, 4

-- title: NULL keys meet under <=> only
CREATE TABLE l (k INT, v STRING);
CREATE TABLE r (k INT, w STRING);
INSERT INTO l VALUES (NULL, 'a'), (1, 'b');
INSERT INTO r VALUES (NULL, 'x');
-- stream: incremental
SELECT 'equal' AS how, v, w FROM l JOIN r ON l.k = r.k UNION ALL SELECT 'same', v, w FROM l JOIN r ON l.k <=> r.k;
-- answer: 'same', 'a', 'x'
-- change: a key becomes NULL, a NULL becomes a key
UPDATE l SET k = CASE WHEN k IS NULL THEN 1 ELSE NULL END;
INSERT INTO r VALUES (1, 'y');
-- answer: 'same', 'b', 'x' | 'equal', 'a', 'y' | 'same', 'a', 'y'
-- change: NULLs go on both sides
DELETE FROM l WHERE k IS NULL;
DELETE FROM r WHERE k IS NULL;
-- answer: 'equal', 'a', 'y' | 'same', 'a', 'y'

-- title: copies multiply, up and down and across both sides
CREATE TABLE l (seq INT, k INT);
CREATE TABLE r (seq INT, k INT);
INSERT INTO l VALUES (1, 7);
-- stream: incremental
SELECT l.k FROM l JOIN r ON l.k = r.k;
-- answer: nothing
-- change: one meets two
INSERT INTO r VALUES (1, 7), (2, 7);
-- expect: + 7 | 7
-- change: two meet three
INSERT INTO l VALUES (2, 7);
INSERT INTO r VALUES (3, 7);
-- expect: + 7 | 7 | 7 | 7
-- change: three meet one
INSERT INTO l VALUES (3, 7);
DELETE FROM r WHERE seq < 3;
-- expect: - 7 | 7 | 7
-- change: none are left
DELETE FROM l;
-- expect: - 7 | 7 | 7

-- title: one comes and its partner goes: they never met
CREATE TABLE l (k INT);
CREATE TABLE r (k INT, w STRING);
INSERT INTO r VALUES (1, 'x');
-- stream: incremental
SELECT l.k, w FROM l JOIN r ON l.k = r.k;
-- change: in one refresh
INSERT INTO l VALUES (1);
DELETE FROM r;
-- expect: nothing
-- change: the other way round
DELETE FROM l;
INSERT INTO r VALUES (1, 'y');
-- expect: nothing

-- title: both keys move together: the answer stays
CREATE TABLE l (id INT, k INT);
CREATE TABLE r (k INT, w STRING);
INSERT INTO l VALUES (1, 7);
INSERT INTO r VALUES (7, 'x');
-- stream: incremental
SELECT id, w FROM l JOIN r ON l.k = r.k;
-- change: to another key
UPDATE l SET k = 8;
UPDATE r SET k = 8;
-- expect: nothing
-- answer: 1, 'x'

-- title: cross join, by comma and by word
CREATE TABLE l (x INT);
CREATE TABLE r (y STRING);
CREATE TABLE z (q INT);
INSERT INTO l VALUES (1), (1);
INSERT INTO z VALUES (0);
-- stream: incremental
SELECT x, y FROM l, r CROSS JOIN z;
-- answer: nothing
-- change: the right side comes, the left one loses a copy it never showed
INSERT INTO r VALUES ('a'), (NULL);
INSERT INTO l VALUES (2);
-- answer: 1, 'a' | 1, 'a' | 1, NULL | 1, NULL | 2, 'a' | 2, NULL
-- change: the third doubles while the second empties
INSERT INTO z VALUES (1);
DELETE FROM r WHERE y = 'a';
-- answer: 1, NULL | 1, NULL | 2, NULL | 1, NULL | 1, NULL | 2, NULL
-- change: the third empties
DELETE FROM z;
-- answer: nothing

-- title: conditions that are no equality
CREATE TABLE l (x INT);
CREATE TABLE r (lo INT, hi INT, name STRING);
INSERT INTO l VALUES (1), (5), (NULL);
INSERT INTO r VALUES (0, 3, 'low'), (4, 9, 'high');
-- stream: incremental
SELECT x, name FROM l JOIN r ON x BETWEEN lo AND hi AND (name <> 'none' OR x IS NULL);
-- answer: 1, 'low' | 5, 'high'
-- change: the borders move and so do the points
UPDATE r SET hi = 5 WHERE name = 'low';
UPDATE l SET x = 4 WHERE x = 1;
INSERT INTO l VALUES (5);
-- answer: 4, 'low' | 4, 'high' | 5, 'low' | 5, 'low' | 5, 'high' | 5, 'high'
-- change: a range without end, a name without meaning
UPDATE r SET hi = NULL WHERE name = 'high';
UPDATE r SET name = 'none' WHERE name = 'low';
-- answer: nothing

-- title: an equality with a residual that flips
CREATE TABLE l (id INT, k INT, lim INT);
CREATE TABLE r (k INT, c INT);
INSERT INTO l VALUES (1, 1, 10), (2, 1, 20);
INSERT INTO r VALUES (1, 15);
-- stream: incremental
SELECT l.id, r.c FROM l JOIN r ON l.k = r.k AND r.c <= l.lim;
-- answer: 2, 15
-- change: both sides of the comparison
UPDATE l SET lim = 30 - lim;
UPDATE r SET c = 12;
-- answer: 1, 12
-- change: the residual is unknown
UPDATE l SET lim = NULL WHERE id = 1;
-- answer: nothing

-- title: a condition over expressions of both sides
CREATE TABLE l (a STRING, v INT);
CREATE TABLE r (b STRING, w INT);
INSERT INTO l VALUES ('X', 1), (NULL, 2);
INSERT INTO r VALUES ('x', 2), ('y', 3);
-- stream: incremental
SELECT a, b FROM l JOIN r ON upper(l.a) = upper(r.b) OR l.v + r.w = 5;
-- answer: 'X', 'x' | NULL, 'y'
-- change: both
UPDATE l SET a = 'y' WHERE a IS NULL;
UPDATE r SET w = 4 WHERE b = 'x';
-- answer: 'X', 'x' | 'y', 'y'

-- title: four tables in a star, all of which change
CREATE TABLE fact (d1 INT, d2 INT, d3 INT, v INT);
CREATE TABLE one (id INT, n STRING);
CREATE TABLE two (id INT, n STRING);
CREATE TABLE three (id INT, n STRING);
INSERT INTO fact VALUES (1, 1, 1, 10), (1, 2, 1, 20), (2, 1, NULL, 30);
INSERT INTO one VALUES (1, 'a'), (2, 'b');
INSERT INTO two VALUES (1, 'c'), (2, 'd');
INSERT INTO three VALUES (1, 'e');
-- stream: incremental
SELECT one.n AS n1, two.n AS n2, three.n AS n3, v FROM fact JOIN one ON d1 = one.id JOIN two ON d2 = two.id
JOIN three ON d3 = three.id;
-- answer: 'a', 'c', 'e', 10 | 'a', 'd', 'e', 20
-- change: all
INSERT INTO three VALUES (2, 'f');
UPDATE fact SET d3 = 2 WHERE d3 IS NULL;
UPDATE one SET n = 'A' WHERE id = 1;
DELETE FROM two WHERE id = 2;
-- answer: 'A', 'c', 'e', 10 | 'b', 'c', 'f', 30

-- title: a ring of three conditions, and one table three times
CREATE TABLE e (s INT, d INT);
INSERT INTO e VALUES (1, 2), (2, 3);
-- stream: incremental
SELECT x.s AS a, y.s AS b, z.s AS c FROM e x, e y, e z WHERE x.d = y.s AND y.d = z.s AND z.d = x.s;
-- answer: nothing
-- change: the ring closes
INSERT INTO e VALUES (3, 1);
-- answer: 1, 2, 3 | 2, 3, 1 | 3, 1, 2
-- change: a ring of one and a doubled edge
INSERT INTO e VALUES (4, 4), (1, 2);
-- change: an edge moves
UPDATE e SET d = 1 WHERE s = 2;
-- answer: 4, 4, 4

-- title: a CTE used twice is two inputs that change together
CREATE TABLE t (id INT, parent INT, v STRING);
INSERT INTO t VALUES (1, NULL, 'r'), (2, 1, 'a'), (3, 1, 'b');
-- stream: incremental
WITH live AS (SELECT id, parent, v FROM t WHERE v <> 'dead')
SELECT c.v AS child, p.v AS parent FROM live c JOIN live p ON c.parent = p.id;
-- answer: 'a', 'r' | 'b', 'r'
-- change: a child moves below another, the root is renamed
UPDATE t SET parent = 2 WHERE id = 3;
UPDATE t SET v = 'R' WHERE id = 1;
-- answer: 'a', 'R' | 'b', 'a'
-- change: the one in the middle dies
UPDATE t SET v = 'dead' WHERE id = 2;
-- answer: nothing

-- title: a join of joins of aggregates of one table
CREATE TABLE t (g STRING, v INT);
INSERT INTO t VALUES ('p', 1), ('p', 2), ('q', 5);
-- stream: incremental
SELECT s.g, s.total, m.most, t.v
FROM (SELECT g, sum(v) AS total FROM t GROUP BY g) s
JOIN (SELECT g, max(v) AS most FROM t GROUP BY g) m ON s.g = m.g
JOIN t ON t.g = s.g AND t.v = m.most;
-- answer: 'p', 3, 2, 2 | 'q', 5, 5, 5
-- change: the greatest of one, another group for the other
UPDATE t SET v = 3 WHERE v = 2;
UPDATE t SET g = 'r' WHERE g = 'q';
INSERT INTO t VALUES ('r', 5);
-- answer: 'p', 4, 3, 3 | 'r', 10, 5, 5 | 'r', 10, 5, 5

-- title: keys of different types
CREATE TABLE l (k INT, v STRING);
CREATE TABLE r (k DECIMAL(10,2), w STRING);
INSERT INTO l VALUES (1, 'a'), (2, 'b');
INSERT INTO r VALUES (1.00, 'x'), (1.50, 'y');
-- stream: incremental
SELECT v, w FROM l JOIN r ON l.k = r.k;
-- answer: 'a', 'x'
-- change: both
UPDATE r SET k = 2.00 WHERE w = 'y';
INSERT INTO l VALUES (1, 'c');
-- answer: 'a', 'x' | 'c', 'x' | 'b', 'y'

-- title: keys that are text, dates and truth values
CREATE TABLE l (s STRING, d DATE, b BOOLEAN, v INT);
CREATE TABLE r (s STRING, d DATE, b BOOLEAN, w INT);
INSERT INTO l VALUES ("it's", DATE '2024-02-29', TRUE, 1), ('', NULL, FALSE, 2);
INSERT INTO r VALUES ("it's", DATE '2024-02-29', TRUE, 10), ('', NULL, FALSE, 20);
-- stream: incremental
SELECT v, w FROM l JOIN r ON l.s = r.s AND l.d <=> r.d AND l.b = r.b;
-- answer: 1, 10 | 2, 20
-- change: each key in turn
UPDATE l SET s = 'a"b\\' WHERE v = 1;
INSERT INTO r VALUES ('a"b\\', DATE '2024-02-29', TRUE, 30);
UPDATE r SET b = NULL WHERE w = 20;
-- answer: 1, 30

-- title: a table that fills while its partner is new and empty
CREATE TABLE l (k INT);
CREATE TABLE r (k INT);
-- stream: incremental
SELECT l.k FROM l JOIN r ON l.k = r.k;
-- answer: nothing
-- change: the one only
INSERT INTO l VALUES (1), (2);
-- expect: nothing
-- change: the other only
INSERT INTO r VALUES (2), (3);
-- expect: + 2
-- change: both empty, and fill with the same
DELETE FROM l;
DELETE FROM r;
INSERT INTO l VALUES (2);
INSERT INTO r VALUES (2);
-- expect: nothing

-- title: USING shows its column once
CREATE TABLE l (k INT, v INT);
CREATE TABLE r (k INT, w INT);
INSERT INTO l VALUES (1, 2);
INSERT INTO r VALUES (1, 3);
-- stream: incremental
SELECT k, v, w FROM l JOIN r USING (k);
-- answer: 1, 2, 3
-- change: both
INSERT INTO l VALUES (2, 2);
INSERT INTO r VALUES (2, 4);
-- answer: 1, 2, 3 | 2, 2, 4

-- title: text joined with numbers
CREATE TABLE l (s STRING, v INT);
CREATE TABLE r (k INT, w STRING);
INSERT INTO l VALUES ('1', 1), ('01', 2), (NULL, 3);
INSERT INTO r VALUES (1, 'x'), (3, 'y');
-- stream: incremental
SELECT v, w FROM l JOIN r ON l.s = r.k;
-- answer: 1, 'x' | 2, 'x'
-- change: the numbers
INSERT INTO r VALUES (2, 'z');
UPDATE r SET w = 'X' WHERE k = 1;
-- answer: 1, 'X' | 2, 'X'
-- change: the text
UPDATE l SET s = '02' WHERE v = 1;
INSERT INTO l VALUES ('03', 4);
-- answer: 1, 'z' | 2, 'X' | 4, 'y'

-- title: keys that are floats have no literals
CREATE TABLE l (f DOUBLE, v INT);
CREATE TABLE r (f DOUBLE, w INT);
INSERT INTO l VALUES (0.1, 1), (-0.0, 2), (CAST('NaN' AS DOUBLE), 3);
INSERT INTO r VALUES (0.1, 10), (0.0, 20);
-- stream: incremental
SELECT v, w FROM l JOIN r ON l.f = r.f;
-- answer: 1, 10 | 2, 20
-- change: both
INSERT INTO r VALUES (CAST('NaN' AS DOUBLE), 30), (0.2, 40);
UPDATE l SET f = 0.2 WHERE v = 1;
-- answer: 2, 20 | 3, 30 | 1, 40

-- title: joins in parentheses in parentheses
CREATE TABLE a (id INT, x INT);
CREATE TABLE b (aid INT, y INT);
CREATE TABLE c (z INT);
INSERT INTO a VALUES (1, 10), (2, 20), (NULL, 30);
INSERT INTO b VALUES (1, 5), (1, 6), (2, 7);
INSERT INTO c VALUES (5), (7);
-- stream: incremental
SELECT t.x, b.y, c.z, o.x AS ox
FROM (((SELECT id, x FROM a) t LEFT JOIN b ON t.id = b.aid) CROSS JOIN c) JOIN a o ON o.id = c.z - 4 AND b.y >= c.z;
-- answer: 10, 5, 5, 10 | 10, 6, 5, 10 | 20, 7, 5, 10
-- change: all three
UPDATE a SET id = 2 WHERE id = 1;
DELETE FROM b WHERE y = 6;
INSERT INTO b VALUES (2, 9);
INSERT INTO c VALUES (6);

-- title: a join in parentheses that has a name, and its columns too
CREATE TABLE l (k INT, id INT);
CREATE TABLE r (k INT, n STRING);
INSERT INTO l VALUES (7, 1), (8, 2);
INSERT INTO r VALUES (7, 'x'), (9, 'z');
-- stream: incremental
SELECT j.id, j.n FROM (l LEFT JOIN r USING (k)) AS j (k, id, n) WHERE j.k < 10;
-- answer: 1, 'x' | 2, NULL
-- change: both sides
UPDATE l SET k = 9 WHERE id = 2;
DELETE FROM r WHERE k = 7;
-- expect: + 1, NULL
-- expect: - 1, 'x'
-- expect: + 2, 'z'
-- expect: - 2, NULL
-- answer: 1, NULL | 2, 'z'
