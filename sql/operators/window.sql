-- title: trap E1: a row moves to another window
CREATE TABLE a (id INT, g STRING, v INT);
INSERT INTO a VALUES (1, 'p', 1), (2, 'p', 2), (3, 'q', 3);
-- stream: incremental
SELECT id, ROW_NUMBER() OVER (PARTITION BY g ORDER BY v) AS rn FROM a;
-- answer: 1, 1 | 2, 2 | 3, 1
-- change: it moves
UPDATE a SET g = 'q' WHERE id = 1;
-- answer: 1, 1 | 2, 1 | 3, 2

-- title: trap E2: the window's key is not shown
CREATE TABLE a (id INT, g STRING, v INT);
INSERT INTO a VALUES (1, 'p', 1), (2, 'p', 2);
-- stream: incremental
SELECT v, SUM(v) OVER (PARTITION BY g) AS s FROM a;
-- answer: 1, 3 | 2, 3
-- change: one goes
DELETE FROM a WHERE id = 2;
-- answer: 1, 1

-- title: trap E3: the first goes, the second comes
CREATE TABLE a (id INT, g STRING, v INT);
INSERT INTO a VALUES (1, 'p', 10), (2, 'p', 20);
-- stream: incremental
SELECT id, g, v FROM (SELECT id, g, v, ROW_NUMBER() OVER (PARTITION BY g ORDER BY v DESC) AS rn FROM a) z WHERE rn = 1;
-- answer: 2, 'p', 20
-- change: the first goes
DELETE FROM a WHERE id = 2;
-- answer: 1, 'p', 10

-- title: trap E5: a window over an aggregate
CREATE TABLE a (id INT, g STRING, v INT);
INSERT INTO a VALUES (1, 'p', 10), (2, 'q', 20);
-- stream: incremental
SELECT g, SUM(v) AS s, RANK() OVER (ORDER BY SUM(v) DESC) AS r FROM a GROUP BY g;
-- answer: 'p', 10, 2 | 'q', 20, 1
-- change: the ranks swap
INSERT INTO a VALUES (3, 'p', 50);
-- answer: 'p', 60, 1 | 'q', 20, 2

-- title: ranks with ties, which shift when a tie breaks
CREATE TABLE a (id INT, g STRING, v INT);
INSERT INTO a VALUES (1, 'p', 10), (2, 'p', 10), (3, 'p', 5), (4, 'q', 1), (5, NULL, 7), (6, 'p', NULL);
-- stream: incremental
SELECT id, RANK() OVER (PARTITION BY g ORDER BY v DESC) AS r, DENSE_RANK() OVER (PARTITION BY g ORDER BY v DESC) AS d,
COUNT(*) OVER (PARTITION BY g) AS n, PERCENT_RANK() OVER (PARTITION BY g ORDER BY v) AS p FROM a;
-- change: one of the tie goes, another comes below
DELETE FROM a WHERE id = 2;
INSERT INTO a VALUES (7, 'p', 5), (8, NULL, 7);
-- change: rows move between partitions, NULL among them
UPDATE a SET g = 'q' WHERE id = 1;
UPDATE a SET g = NULL WHERE id = 4;
UPDATE a SET g = 'p' WHERE id = 5;
-- change: a partition empties, values turn NULL and back
DELETE FROM a WHERE g = 'q';
UPDATE a SET v = NULL WHERE id = 3;
UPDATE a SET v = 99 WHERE id = 6;

-- title: only the touched partition changes
CREATE TABLE a (id INT, g STRING, v INT);
INSERT INTO a VALUES (1, 'p', 10), (2, 'p', 20), (3, 'q', 5);
-- stream: incremental
SELECT id, g, SUM(v) OVER (PARTITION BY g ORDER BY id) AS s FROM a;
-- change: a row in the middle, and one that replaces its like
INSERT INTO a VALUES (4, 'q', 1);
DELETE FROM a WHERE id = 3;
INSERT INTO a VALUES (3, 'q', 5);
-- expect: + 4, 'q', 6
-- change: the first of a partition
UPDATE a SET v = 11 WHERE id = 1;
-- expect: - 1, 'p', 10 | 2, 'p', 30
-- expect: + 1, 'p', 11 | 2, 'p', 31

-- title: copies of rows are ranked together
CREATE TABLE a (g STRING, v INT);
INSERT INTO a VALUES ('p', 1), ('p', 1), ('p', 2);
-- stream: incremental
SELECT g, v, RANK() OVER (PARTITION BY g ORDER BY v) AS r, SUM(v) OVER (PARTITION BY g) AS s FROM a;
-- answer: 'p', 1, 1, 4 | 'p', 1, 1, 4 | 'p', 2, 3, 4
-- change: a third copy
INSERT INTO a VALUES ('p', 1);
-- expect: - 'p', 1, 1, 4 | 'p', 1, 1, 4 | 'p', 2, 3, 4
-- expect: + 'p', 1, 1, 5 | 'p', 1, 1, 5 | 'p', 1, 1, 5 | 'p', 2, 4, 5
-- change: one stays
DELETE FROM a WHERE v = 1;
INSERT INTO a VALUES ('p', 1);
-- answer: 'p', 1, 1, 3 | 'p', 2, 2, 3

-- title: several PARTITION BYs, one within the other, one apart, one not at all
CREATE TABLE a (id INT, g STRING, h STRING, v INT);
INSERT INTO a VALUES (1, 'p', 'x', 1), (2, 'p', 'y', 2), (3, 'q', 'x', 3), (4, 'q', NULL, 4);
-- stream: incremental
SELECT id, SUM(v) OVER (PARTITION BY g) AS by_g, SUM(v) OVER (PARTITION BY h) AS by_h, SUM(v) OVER (PARTITION BY g, h) AS by_both,
SUM(v) OVER (PARTITION BY h, g ORDER BY id) AS running, SUM(v) OVER () AS total, ROW_NUMBER() OVER (ORDER BY v DESC, id) AS place FROM a;
-- change: a row moves, one comes
UPDATE a SET g = 'q' WHERE id = 1;
INSERT INTO a VALUES (5, NULL, NULL, 10);
-- change: keys become NULL, a row goes
UPDATE a SET h = NULL WHERE h = 'x';
DELETE FROM a WHERE id = 2;
-- change: empty, and not
DELETE FROM a;
INSERT INTO a VALUES (6, 'p', 'p', 6);
-- answer: 6, 6, 6, 6, 6, 6, 1

-- title: LAG and LEAD, a row between two changes both
CREATE TABLE a (k STRING, ts INT, v INT);
INSERT INTO a VALUES ('a', 1, 10), ('a', 3, 30), ('b', 1, 5);
-- stream: incremental
SELECT k, ts, v - LAG(v, 1, 0) OVER (PARTITION BY k ORDER BY ts) AS rise, LEAD(ts) OVER (PARTITION BY k ORDER BY ts) AS next_ts FROM a;
-- answer: 'a', 1, 10, 3 | 'a', 3, 20, NULL | 'b', 1, 5, NULL
-- change: a late row comes between, another key wins one
INSERT INTO a VALUES ('a', 2, 15), ('b', 0, 1);
-- expect: - 'a', 1, 10, 3 | 'a', 3, 20, NULL | 'b', 1, 5, NULL
-- expect: + 'a', 1, 10, 2 | 'a', 2, 5, 3 | 'a', 3, 15, NULL | 'b', 0, 1, 1 | 'b', 1, 4, NULL
-- change: the first of one goes, the other moves in time
DELETE FROM a WHERE k = 'a' AND ts = 1;
UPDATE a SET ts = 5 WHERE k = 'b' AND ts = 0;
-- answer: 'a', 2, 15, 3 | 'a', 3, 15, NULL | 'b', 1, 5, 5 | 'b', 5, -4, NULL

-- title: frames of rows
CREATE TABLE a (k STRING, ts INT, v INT);
INSERT INTO a VALUES ('a', 1, 1), ('a', 2, 2), ('a', 3, 4), ('a', 4, 8), ('b', 1, NULL);
-- stream: incremental
SELECT k, ts, SUM(v) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS around,
SUM(v) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before,
MAX(v) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS top,
COUNT(v) OVER (PARTITION BY k ORDER BY ts DESC ROWS 2 PRECEDING) AS c FROM a;
-- change: the greatest goes, a NULL gets a value
DELETE FROM a WHERE v = 8;
UPDATE a SET v = 3 WHERE k = 'b';
-- change: rows in front and between
INSERT INTO a VALUES ('a', 0, 100), ('b', 2, 1);
UPDATE a SET ts = 9 WHERE v = 1 AND k = 'a';

-- title: frames of ranges take in rows that are equal
CREATE TABLE a (k STRING, ts INT, v INT);
INSERT INTO a VALUES ('a', 1, 1), ('a', 1, 2), ('a', 5, 4), ('b', 3, 8);
-- stream: incremental
SELECT k, ts, v, SUM(v) OVER (PARTITION BY k ORDER BY ts) AS so_far, SUM(v) OVER (PARTITION BY k ORDER BY ts RANGE BETWEEN 3 PRECEDING AND CURRENT ROW) AS recent,
COUNT(*) OVER (PARTITION BY k ORDER BY ts RANGE BETWEEN 2 PRECEDING AND 2 FOLLOWING) AS near FROM a;
-- answer: 'a', 1, 1, 3, 3, 2 | 'a', 1, 2, 3, 3, 2 | 'a', 5, 4, 7, 4, 1 | 'b', 3, 8, 8, 8, 1
-- change: one moves within reach of the others, another key wins an equal
UPDATE a SET ts = 3 WHERE v = 4;
INSERT INTO a VALUES ('b', 3, 1);
-- answer: 'a', 1, 1, 3, 3, 3 | 'a', 1, 2, 3, 3, 3 | 'a', 3, 4, 7, 7, 3 | 'b', 3, 8, 9, 9, 2 | 'b', 3, 1, 9, 9, 2
-- change: one of the equal goes
DELETE FROM a WHERE v IN (1, 8);
INSERT INTO a VALUES ('b', 6, 2), ('b', 7, 2);

-- title: first, last and nth value
CREATE TABLE a (k STRING, ts INT, v STRING);
INSERT INTO a VALUES ('a', 1, 'x'), ('a', 2, 'y'), ('b', 1, NULL);
-- stream: incremental
SELECT k, ts, FIRST_VALUE(v) OVER (PARTITION BY k ORDER BY ts) AS f, LAST_VALUE(v) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS l,
NTILE(2) OVER (PARTITION BY k ORDER BY ts) AS t FROM a;
-- answer: 'a', 1, 'x', 'y', 1 | 'a', 2, 'x', 'y', 2 | 'b', 1, NULL, NULL, 1
-- change: a new first and a new last
INSERT INTO a VALUES ('a', 0, 'w'), ('b', 2, 'z');
-- answer: 'a', 0, 'w', 'y', 1 | 'a', 1, 'w', 'y', 1 | 'a', 2, 'w', 'y', 2 | 'b', 1, NULL, 'z', 1 | 'b', 2, NULL, 'z', 2
-- change: the first goes, the last is changed
DELETE FROM a WHERE v = 'w';
UPDATE a SET v = 'Y' WHERE v = 'y';
-- answer: 'a', 1, 'x', 'Y', 1 | 'a', 2, 'x', 'Y', 2 | 'b', 1, NULL, 'z', 1 | 'b', 2, NULL, 'z', 2

-- title: QUALIFY keeps the first of each group, of two tables
CREATE TABLE a (id INT, g STRING, v INT);
CREATE TABLE b (g STRING, w INT);
INSERT INTO a VALUES (1, 'p', 1), (2, 'p', 2), (3, 'q', 1);
INSERT INTO b VALUES ('p', 10), ('q', 20), ('q', 30);
-- stream: incremental
SELECT a.id, a.g, b.w FROM a JOIN b ON a.g = b.g QUALIFY ROW_NUMBER() OVER (PARTITION BY a.g ORDER BY a.v DESC, b.w, a.id) = 1;
-- answer: 2, 'p', 10 | 3, 'q', 20
-- change: the first of each goes
DELETE FROM a WHERE id = 2;
DELETE FROM b WHERE w = 20;
-- answer: 1, 'p', 10 | 3, 'q', 30
-- change: a better one comes, the other group goes
INSERT INTO a VALUES (4, 'p', 9);
DELETE FROM b WHERE g = 'q';
INSERT INTO b VALUES ('p', 5);
-- answer: 4, 'p', 5

-- title: QUALIFY over an aggregate, with HAVING
-- lane: duckdb in QUALIFY Spark knows no column but those of the answer
CREATE TABLE o (g STRING, c STRING, v INT);
INSERT INTO o VALUES ('p', 'x', 5), ('p', 'y', 3), ('q', 'x', 1), ('q', 'x', 1);
-- stream: incremental
SELECT g, c, SUM(v) AS s FROM o GROUP BY g, c HAVING COUNT(*) < 3 QUALIFY RANK() OVER (PARTITION BY g ORDER BY SUM(v) DESC) = 1;
-- answer: 'p', 'x', 5 | 'q', 'x', 2
-- change: the ranks swap in one, HAVING drops the other
INSERT INTO o VALUES ('p', 'y', 4), ('q', 'x', 1), ('q', 'z', 0);
-- answer: 'p', 'y', 7 | 'q', 'z', 0
-- change: a tie
INSERT INTO o VALUES ('p', 'x', 2);
DELETE FROM o WHERE c = 'z';
-- answer: 'p', 'x', 7 | 'p', 'y', 7

-- title: a named window, used twice and alone
CREATE TABLE a (g STRING, id INT, v INT);
INSERT INTO a VALUES ('p', 1, 1), ('p', 2, 2), ('q', 1, 3);
-- stream: incremental
SELECT g, id, SUM(v) OVER w AS s, ROW_NUMBER() OVER w AS n FROM a WINDOW w AS (PARTITION BY g ORDER BY id);
-- answer: 'p', 1, 1, 1 | 'p', 2, 3, 2 | 'q', 1, 3, 1
-- change: both partitions
INSERT INTO a VALUES ('p', 0, 5), ('q', 2, 1);
DELETE FROM a WHERE g = 'p' AND id = 1;
-- answer: 'p', 0, 5, 1 | 'p', 2, 7, 2 | 'q', 1, 3, 1 | 'q', 2, 4, 2

-- title: windows over expressions, constants and CASE
CREATE TABLE a (id INT, s STRING, v INT);
INSERT INTO a VALUES (1, 'Ab', 1), (2, 'aB', 2), (3, 'c', 3);
-- stream: incremental
SELECT id, SUM(v * 2) OVER (PARTITION BY UPPER(s)) + 1 AS x, SUM(CASE WHEN v > 1 THEN 1 END) OVER (PARTITION BY 1) AS y,
AVG(v) OVER (PARTITION BY v % 2 ORDER BY id) AS z FROM a;
-- change: keys move under their expression
UPDATE a SET s = 'AB' WHERE id = 3;
INSERT INTO a VALUES (4, NULL, 4);
-- change: and values
UPDATE a SET v = v + 1 WHERE id IN (1, 4);
DELETE FROM a WHERE id = 2;

-- title: a window above a LEFT JOIN, filtered and joined again
CREATE TABLE c (id INT, name STRING);
CREATE TABLE o (id INT, cid INT, amount INT);
INSERT INTO c VALUES (1, 'Ann'), (2, 'Ben');
INSERT INTO o VALUES (10, 1, 5), (11, 1, 7);
-- stream: incremental
SELECT z.name, z.amount, o.id FROM (SELECT c.name, o.amount, ROW_NUMBER() OVER (PARTITION BY c.id ORDER BY o.amount DESC, o.id) AS n
FROM c LEFT JOIN o ON o.cid = c.id) z LEFT JOIN o ON o.amount = z.amount WHERE n = 1;
-- answer: 'Ann', 7, 11 | 'Ben', NULL, NULL
-- change: the best goes, the other wins one
DELETE FROM o WHERE id = 11;
INSERT INTO o VALUES (12, 2, 5);
-- answer: 'Ann', 5, 10 | 'Ann', 5, 12 | 'Ben', 5, 10 | 'Ben', 5, 12
-- change: it moves, a customer is renamed
UPDATE o SET cid = 1, amount = 9 WHERE id = 12;
UPDATE c SET name = 'Bob' WHERE id = 2;
-- answer: 'Ann', 9, 12 | 'Bob', NULL, NULL

-- title: a window over a window over an aggregate
CREATE TABLE s (d INT, g STRING, v INT);
INSERT INTO s VALUES (1, 'p', 1), (1, 'p', 2), (2, 'p', 5), (1, 'q', 9), (3, 'q', 1);
-- stream: incremental
SELECT g, d, t, RANK() OVER (PARTITION BY d ORDER BY t DESC) AS r FROM
(SELECT g, d, SUM(SUM(v)) OVER (PARTITION BY g ORDER BY d) AS t FROM s GROUP BY g, d) z;
-- change: an early value moves all later sums of its group
INSERT INTO s VALUES (1, 'p', 10), (2, 'q', 0);
-- change: groups swap a day
UPDATE s SET g = CASE g WHEN 'p' THEN 'q' ELSE 'p' END WHERE d = 1;
DELETE FROM s WHERE d = 3;

-- title: aggregates, DISTINCT and set operations above windows
CREATE TABLE a (g STRING, v INT);
CREATE TABLE b (r INT);
INSERT INTO a VALUES ('p', 1), ('p', 5), ('q', 5), ('q', 7);
INSERT INTO b VALUES (1), (3);
-- stream: incremental
SELECT r, COUNT(*) AS n FROM (SELECT RANK() OVER (PARTITION BY g ORDER BY v) AS r FROM a) z WHERE r IN (SELECT r FROM b) GROUP BY r
UNION SELECT DISTINCT MAX(v) OVER (PARTITION BY g), 0 FROM a;
-- answer: 1, 2 | 5, 0 | 7, 0
-- change: a third rank, a rank less
INSERT INTO a VALUES ('p', 6);
INSERT INTO b VALUES (2);
-- answer: 1, 2 | 2, 2 | 3, 1 | 6, 0 | 7, 0
-- change: a group goes
DELETE FROM a WHERE g = 'q';
DELETE FROM b WHERE r = 1;
-- answer: 2, 1 | 3, 1 | 6, 0

-- title: sessions, by a gap and a running sum
CREATE TABLE hit (who STRING, ts INT);
INSERT INTO hit VALUES ('a', 1), ('a', 3), ('a', 20), ('b', 1);
-- stream: incremental
SELECT who, MIN(ts) AS since, MAX(ts) AS until, COUNT(*) AS hits FROM
(SELECT who, ts, SUM(starts) OVER (PARTITION BY who ORDER BY ts) AS session FROM
(SELECT who, ts, CASE WHEN ts - LAG(ts) OVER (PARTITION BY who ORDER BY ts) <= 10 THEN 0 ELSE 1 END AS starts FROM hit) x) y
GROUP BY who, session;
-- answer: 'a', 1, 3, 2 | 'a', 20, 20, 1 | 'b', 1, 1, 1
-- change: a bridge merges two sessions, the other wins one
INSERT INTO hit VALUES ('a', 12), ('b', 30);
-- answer: 'a', 1, 20, 4 | 'b', 1, 1, 1 | 'b', 30, 30, 1
-- change: it goes, and splits them
DELETE FROM hit WHERE ts = 12;
UPDATE hit SET ts = 9 WHERE who = 'b' AND ts = 30;
-- answer: 'a', 1, 3, 2 | 'a', 20, 20, 1 | 'b', 1, 9, 2

-- title: the newest version of each key, with deletions as marks
CREATE TABLE log (k INT, seq INT, op STRING, v STRING);
INSERT INTO log VALUES (1, 1, 'i', 'a'), (1, 2, 'u', 'b'), (2, 1, 'i', 'c');
-- stream: incremental
SELECT k, v FROM (SELECT k, v, op, ROW_NUMBER() OVER (PARTITION BY k ORDER BY seq DESC) AS n FROM log) z WHERE n = 1 AND op <> 'd';
-- answer: 1, 'b' | 2, 'c'
-- change: one is deleted, one updated, one new
INSERT INTO log VALUES (1, 3, 'd', NULL), (2, 2, 'u', 'd'), (3, 1, 'i', 'e');
-- answer: 2, 'd' | 3, 'e'
-- change: late entries change nothing
INSERT INTO log VALUES (2, 0, 'i', 'x'), (3, 0, 'd', NULL);
-- expect: nothing
-- change: entries are taken back
DELETE FROM log WHERE seq = 3 OR (k = 2 AND seq = 2);
-- answer: 1, 'b' | 2, 'c' | 3, 'e'

-- title: window functions in a CTE used twice, one side filtered
CREATE TABLE a (id INT, g STRING, v INT);
INSERT INTO a VALUES (1, 'p', 1), (2, 'p', 2), (3, 'q', 3);
-- stream: incremental
WITH w AS (SELECT id, g, v, ROW_NUMBER() OVER (PARTITION BY g ORDER BY v, id) AS n FROM a)
SELECT x.id, y.id AS next_id FROM w x LEFT JOIN w y ON x.g = y.g AND y.n = x.n + 1;
-- answer: 1, 2 | 2, NULL | 3, NULL
-- change: one comes between, one moves
INSERT INTO a VALUES (4, 'p', 1);
UPDATE a SET g = 'p' WHERE id = 3;
-- answer: 1, 4 | 4, 2 | 2, 3 | 3, NULL
-- change: the first goes, another takes its place
DELETE FROM a WHERE id = 1;
INSERT INTO a VALUES (5, 'p', 0), (6, 'q', 0);
-- answer: 5, 4 | 4, 2 | 2, 3 | 3, NULL | 6, NULL

-- title: percent of the whole
CREATE TABLE a (g STRING, v INT);
INSERT INTO a VALUES ('p', 1), ('q', 3);
-- stream: incremental
SELECT g, SUM(v) AS s, SUM(v) * 100 / SUM(SUM(v)) OVER () AS pct FROM a GROUP BY g;
-- answer: 'p', 1, 25 | 'q', 3, 75
-- change: one grows, one comes
INSERT INTO a VALUES ('p', 1), ('r', 5);
-- answer: 'p', 2, 20 | 'q', 3, 30 | 'r', 5, 50
-- change: all but one
DELETE FROM a WHERE g <> 'q';
-- answer: 'q', 3, 100

-- title: a window with FILTER
CREATE TABLE a (g STRING, id INT, v INT);
INSERT INTO a VALUES ('p', 1, 1), ('p', 2, -2), ('q', 3, 3);
-- stream: incremental
SELECT id, SUM(v) FILTER (WHERE v > 0) OVER (PARTITION BY g) AS s, COUNT(*) FILTER (WHERE v < 0) OVER () AS n FROM a;
-- answer: 1, 1, 1 | 2, 1, 1 | 3, 3, 1
-- change: signs turn
UPDATE a SET v = -v;
INSERT INTO a VALUES ('q', 4, 4);
-- answer: 1, 2, 2 | 2, 2, 2 | 3, 4, 2 | 4, 4, 2

-- title: the last value so far, by range
CREATE TABLE a (g STRING, t INT, v INT);
INSERT INTO a VALUES ('p', 1, 1), ('p', 2, NULL), ('p', 3, 3), ('q', 1, 3), (NULL, NULL, 9);
-- stream: incremental
SELECT g, t, last_value(v) OVER (PARTITION BY g ORDER BY t) AS last, nth_value(v, 2) OVER (PARTITION BY g ORDER BY t) AS second,
  COUNT(*) OVER (PARTITION BY g ORDER BY t) AS n FROM a;
-- answer: 'p', 1, 1, NULL, 1 | 'p', 2, NULL, NULL, 2 | 'p', 3, 3, NULL, 3 | 'q', 1, 3, NULL, 1 | NULL, NULL, 9, NULL, 1
-- change: one between, one less, another partition
INSERT INTO a VALUES ('p', 0, 7), ('r', 1, 1);
UPDATE a SET v = 2 WHERE t = 2;
DELETE FROM a WHERE g = 'q';

-- title: ties count as one step of a range
CREATE TABLE a (g STRING, t INT, v DOUBLE);
INSERT INTO a VALUES ('p', 1, 0.1), ('p', 1, 0.2), ('p', 2, 0.4), ('q', 5, 1);
-- stream: incremental
SELECT g, t, v, SUM(v) OVER (PARTITION BY g ORDER BY t) AS s, AVG(v) OVER (PARTITION BY g ORDER BY t DESC) AS m FROM a;
-- change: another tie, a row less
INSERT INTO a VALUES ('p', 2, 0.8), ('q', 5, 3);
DELETE FROM a WHERE v = 0.1;
-- change: the key moves
UPDATE a SET g = 'q', t = 5 WHERE v = 0.2;

-- title: the first and the last of a sliding range
-- lane: spark its best of equals may be NULL
CREATE TABLE a (g STRING, t INT, v INT);
INSERT INTO a VALUES ('p', 1, NULL), ('p', 2, 2), ('p', 4, 4), ('q', 1, 1);
-- stream: incremental
SELECT g, t, last_value(v) OVER (PARTITION BY g ORDER BY t RANGE BETWEEN 2 PRECEDING AND 1 FOLLOWING) AS last,
  first_value(v) IGNORE NULLS OVER (PARTITION BY g ORDER BY t DESC RANGE BETWEEN 2 PRECEDING AND 3 FOLLOWING) AS first FROM a;
-- change: one between, one moves
INSERT INTO a VALUES ('p', 3, NULL), ('q', 2, 2);
UPDATE a SET t = 6 WHERE v = 4;

-- title: subqueries inside a window's call
CREATE TABLE a (id INT, g STRING);
CREATE TABLE b (aid INT, v INT);
INSERT INTO a VALUES (1, 'p'), (2, 'p'), (3, 'q');
INSERT INTO b VALUES (1, 5), (1, 6), (3, 7);
-- stream: incremental
SELECT id, SUM(CASE WHEN EXISTS (SELECT 1 FROM b WHERE b.aid = a.id) THEN 1 ELSE 0 END) OVER (PARTITION BY g) AS n,
  RANK() OVER (ORDER BY (SELECT COUNT(*) FROM b WHERE b.aid = a.id) DESC) AS r FROM a;
-- answer: 1, 1, 1 | 2, 1, 3 | 3, 1, 2
-- change: both
INSERT INTO b VALUES (2, 1), (2, 2), (2, 3);
DELETE FROM b WHERE aid = 3;
UPDATE a SET g = 'q' WHERE id = 1;
-- answer: 1, 1, 2 | 2, 1, 1 | 3, 1, 3

-- title: a named window inside and another of that name outside
CREATE TABLE a (id INT, g INT);
INSERT INTO a VALUES (1, 1), (2, 1), (3, 2);
-- stream: incremental
SELECT id, inside, SUM(id) OVER w AS outside FROM (SELECT id, g, SUM(id) OVER w AS inside FROM a WINDOW w AS (ORDER BY id)) z
WINDOW w AS (PARTITION BY g ORDER BY id);
-- answer: 1, 1, 1 | 2, 3, 3 | 3, 6, 3
-- change: another partition
UPDATE a SET g = 2 WHERE id = 2;
-- answer: 1, 1, 1 | 2, 3, 2 | 3, 6, 5

-- title: the same words over the rows of a group and over all groups
CREATE TABLE a (g STRING, v INT);
INSERT INTO a VALUES ('p', 1), ('p', 2), ('q', 5), (NULL, NULL);
-- stream: incremental
SELECT g, COUNT(*) AS n, COUNT(*) OVER () AS groups, COUNT(g) OVER (PARTITION BY COUNT(*)) AS alike
FROM a GROUP BY g;
-- answer: 'p', 2, 3, 1 | 'q', 1, 3, 1 | NULL, 1, 3, 1
-- change: a group comes, one grows
INSERT INTO a VALUES ('r', 3), (NULL, 4);
-- answer: 'p', 2, 4, 1 | 'q', 1, 4, 2 | NULL, 2, 4, 1 | 'r', 1, 4, 2
