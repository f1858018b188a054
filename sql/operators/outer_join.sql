-- title: trap A7: two matches come together for an unmatched row
CREATE TABLE l (id INT);
CREATE TABLE r (lid INT, v INT);
INSERT INTO l VALUES (1);
-- stream: incremental
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
-- stream: incremental
SELECT l.id, r.v FROM l LEFT JOIN r ON r.lid = l.id;
-- answer: 1, 5 | 1, 6
-- change: they leave
DELETE FROM r;
-- answer: 1, NULL

-- title: trap A9: a row and its first match are both new
CREATE TABLE l (id INT);
CREATE TABLE r (lid INT, v INT);
INSERT INTO l VALUES (9);
-- stream: incremental
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
-- stream: incremental
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
-- stream: incremental
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
-- stream: incremental
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
-- stream: incremental
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
-- stream: incremental
SELECT l.id, r.c FROM l LEFT JOIN r ON r.lid = l.id AND r.c <> 'bad';
-- answer: 1, 'ok'
-- change: it turns bad
UPDATE r SET c = 'bad';
-- answer: 1, NULL

-- title: LEFT JOIN, the first match comes, copies come, the last goes
CREATE TABLE l (id INT, k INT);
CREATE TABLE r (k INT, v STRING);
INSERT INTO l VALUES (1, 7), (1, 7), (2, 8), (3, NULL);
INSERT INTO r VALUES (NULL, 'n');
-- stream: incremental
SELECT l.id, r.v FROM l LEFT JOIN r ON l.k = r.k;
-- answer: 1, NULL | 1, NULL | 2, NULL | 3, NULL
-- change: a first match for both copies
INSERT INTO r VALUES (7, 'x');
-- expect: - 1, NULL | 1, NULL
-- expect: + 1, 'x' | 1, 'x'
-- change: a copy of the match, and another row of the key
INSERT INTO r VALUES (7, 'x');
INSERT INTO l VALUES (4, 7);
-- expect: + 1, 'x' | 1, 'x' | 4, 'x' | 4, 'x'
-- change: the last match goes while a row leaves
DELETE FROM r WHERE k = 7;
DELETE FROM l WHERE id = 4;
-- answer: 1, NULL | 1, NULL | 2, NULL | 3, NULL
-- change: nothing is left on the left, and all on the right
DELETE FROM l;
INSERT INTO r VALUES (8, 'y');
-- answer: nothing
-- change: it comes back
INSERT INTO l VALUES (2, 8), (3, NULL), (3, NULL);
-- answer: 2, 'y' | 3, NULL | 3, NULL

-- title: LEFT JOIN, a match that holds NULL looks like none
CREATE TABLE l (id INT);
CREATE TABLE r (lid INT, v INT);
INSERT INTO l VALUES (1);
INSERT INTO r VALUES (1, NULL);
-- stream: incremental
SELECT l.id, r.v FROM l LEFT JOIN r ON r.lid = l.id;
-- answer: 1, NULL
-- change: the match goes
DELETE FROM r;
-- expect: nothing
-- change: two come
INSERT INTO r VALUES (1, NULL), (1, NULL);
-- expect: + 1, NULL
-- change: one has a value
UPDATE r SET v = 3;
INSERT INTO r VALUES (1, NULL);
-- expect: + 1, 3 | 1, 3
-- expect: - 1, NULL

-- title: LEFT JOIN, every way in which both sides change together
CREATE TABLE l (id INT, k INT);
CREATE TABLE r (k INT, v STRING);
INSERT INTO l VALUES (1, 1), (2, 2), (3, 3), (4, 4), (5, 5);
INSERT INTO r VALUES (1, 'a'), (2, 'b'), (3, 'c'), (3, 'C');
-- stream: incremental
SELECT l.id, r.v FROM l LEFT JOIN r ON l.k = r.k;
-- change: a row and its match go, a row changes as its match goes, a row goes as its match comes, a match is replaced
DELETE FROM l WHERE id IN (1, 4);
DELETE FROM r WHERE k IN (1, 2);
UPDATE l SET id = 22 WHERE id = 2;
INSERT INTO r VALUES (4, 'd'), (5, 'e');
UPDATE r SET v = 'cc' WHERE v = 'c';
-- answer: 22, NULL | 3, 'cc' | 3, 'C' | 5, 'e'
-- change: keys swap on both sides
UPDATE l SET k = 8 - k WHERE k IN (3, 5);
UPDATE r SET k = 8 - k WHERE k IN (3, 5);
-- expect: nothing
-- change: keys swap on one side
UPDATE r SET k = 8 - k WHERE k IN (3, 5);
-- answer: 22, NULL | 3, 'e' | 5, 'cc' | 5, 'C'
-- change: a key becomes NULL on the left, another on the right
UPDATE l SET k = NULL WHERE id = 3;
UPDATE r SET k = NULL WHERE v = 'C';
-- answer: 22, NULL | 3, NULL | 5, 'cc'
-- change: and back
UPDATE l SET k = 5 WHERE id = 3;
UPDATE r SET k = 3 WHERE v = 'C';
-- answer: 22, NULL | 3, 'e' | 5, 'cc' | 5, 'C'

-- title: LEFT JOIN, NULL keys meet under <=>
CREATE TABLE l (id INT, k INT);
CREATE TABLE r (k INT, v STRING);
INSERT INTO l VALUES (1, NULL), (2, 2), (3, NULL);
-- stream: incremental
SELECT l.id, r.v FROM l LEFT JOIN r ON l.k <=> r.k;
-- answer: 1, NULL | 2, NULL | 3, NULL
-- change: a NULL comes to each side
INSERT INTO r VALUES (NULL, 'n');
INSERT INTO l VALUES (4, NULL);
-- answer: 1, 'n' | 2, NULL | 3, 'n' | 4, 'n'
-- change: NULL becomes 2
UPDATE r SET k = 2;
-- answer: 1, NULL | 2, 'n' | 3, NULL | 4, NULL
-- change: on both sides
UPDATE r SET k = NULL;
UPDATE l SET k = NULL WHERE id = 2;
DELETE FROM l WHERE id = 4;
-- answer: 1, 'n' | 2, 'n' | 3, 'n'

-- title: LEFT JOIN on two keys, either of them NULL, one compared with <=>
CREATE TABLE l (id INT, a INT, b INT);
CREATE TABLE r (a INT, b INT, v STRING);
INSERT INTO l VALUES (1, 1, 1), (2, 1, NULL), (3, NULL, 1), (4, NULL, NULL);
INSERT INTO r VALUES (1, 1, 'x'), (1, NULL, 'y'), (NULL, 1, 'z');
-- stream: incremental
SELECT l.id, r.v FROM l LEFT JOIN r ON l.a = r.a AND l.b <=> r.b;
-- answer: 1, 'x' | 2, 'y' | 3, NULL | 4, NULL
-- change: keys turn NULL and back
UPDATE r SET b = NULL WHERE v = 'x';
UPDATE r SET a = 1 WHERE v = 'z';
UPDATE l SET a = 1 WHERE id = 4;
-- answer: 1, 'z' | 2, 'x' | 2, 'y' | 3, NULL | 4, 'x' | 4, 'y'
-- change: nothing has a key
UPDATE r SET a = NULL;
UPDATE l SET b = 1;
-- answer: 1, NULL | 2, NULL | 3, NULL | 4, NULL

-- title: LEFT JOIN, conditions on one side alone do not drop rows
CREATE TABLE l (id INT, k INT, is_on BOOLEAN);
CREATE TABLE r (k INT, v INT);
INSERT INTO l VALUES (1, 1, TRUE), (2, 1, FALSE), (3, 1, NULL);
INSERT INTO r VALUES (1, 10), (1, 20);
-- stream: incremental
SELECT l.id, r.v FROM l LEFT JOIN r ON l.k = r.k AND l.is_on AND r.v > 10;
-- answer: 1, 20 | 2, NULL | 3, NULL
-- change: all of it flips
UPDATE l SET is_on = NOT is_on;
UPDATE r SET v = v - 5;
INSERT INTO r VALUES (1, NULL);
-- answer: 1, NULL | 2, 15 | 3, NULL
-- change: no row of the right passes
UPDATE r SET v = 1;
UPDATE l SET is_on = TRUE;
-- answer: 1, NULL | 2, NULL | 3, NULL
-- change: all do
UPDATE r SET v = 11 WHERE v = 1;
-- answer: 1, 11 | 1, 11 | 1, 11 | 2, 11 | 2, 11 | 2, 11 | 3, 11 | 3, 11 | 3, 11

-- title: LEFT JOIN with only one-sided conditions, or none, or a false one
CREATE TABLE l (id INT, p INT);
CREATE TABLE r (v INT);
INSERT INTO l VALUES (1, 1), (2, 0);
-- stream: incremental
SELECT 'left' AS how, id, v FROM l LEFT JOIN r ON p = 1
UNION ALL SELECT 'right', id, v FROM l LEFT JOIN r ON v > 1
UNION ALL SELECT 'true', id, v FROM l LEFT JOIN r ON TRUE
UNION ALL SELECT 'false', id, v FROM l LEFT JOIN r ON 1 = 0
UNION ALL SELECT 'null', id, v FROM l LEFT JOIN r ON NULL = v;
-- change: the right side fills
INSERT INTO r VALUES (1), (2), (2);
-- change: a row moves, and another comes
UPDATE l SET p = 1 - p;
INSERT INTO l VALUES (3, 1), (3, 1);
DELETE FROM r WHERE v = 1;
-- change: it empties
DELETE FROM r;
INSERT INTO l VALUES (4, 0);
-- change: the left side empties while the right one fills
DELETE FROM l;
INSERT INTO r VALUES (5);
-- answer: nothing

-- title: LEFT JOIN on an inequality
CREATE TABLE l (id INT, x INT);
CREATE TABLE r (y INT);
INSERT INTO l VALUES (1, 5), (2, 1), (3, NULL), (4, 5);
INSERT INTO r VALUES (3), (NULL);
-- stream: incremental
SELECT id, y FROM l LEFT JOIN r ON y < x;
-- answer: 1, 3 | 2, NULL | 3, NULL | 4, 3
-- change: a second match, and a first
INSERT INTO r VALUES (4), (0);
INSERT INTO l VALUES (5, 4);
-- answer: 1, 3 | 1, 4 | 1, 0 | 2, 0 | 3, NULL | 4, 3 | 4, 4 | 4, 0 | 5, 3 | 5, 0
-- change: some go, some move
DELETE FROM r WHERE y IN (0, 3);
UPDATE l SET x = 2 WHERE id = 1;
-- answer: 1, NULL | 2, NULL | 3, NULL | 4, 4 | 5, NULL
-- change: the last goes as a row moves to where it was
DELETE FROM r WHERE y = 4;
UPDATE l SET x = 9 WHERE id = 1;
-- answer: 1, NULL | 2, NULL | 3, NULL | 4, NULL | 5, NULL

-- title: LEFT JOIN on a band and a key
CREATE TABLE event (id INT, k STRING, ts INT);
CREATE TABLE span (k STRING, since INT, until INT, name STRING);
INSERT INTO event VALUES (1, 'a', 5), (2, 'a', 15), (3, 'b', 5), (4, NULL, 5), (5, 'a', 5);
INSERT INTO span VALUES ('a', 0, 10, 'early'), (NULL, 0, 10, 'none');
-- stream: incremental
SELECT e.id, s.name FROM event e LEFT JOIN span s ON e.k = s.k AND e.ts BETWEEN s.since AND s.until;
-- answer: 1, 'early' | 2, NULL | 3, NULL | 4, NULL | 5, 'early'
-- change: a span moves past one event to another
UPDATE span SET since = 11, until = 20 WHERE k = 'a';
-- expect: - 1, 'early' | 5, 'early' | 2, NULL
-- expect: + 1, NULL | 5, NULL | 2, 'early'
-- change: spans overlap, events move
INSERT INTO span VALUES ('a', 0, 30, 'all'), ('b', 6, 9, 'late');
UPDATE event SET ts = ts + 1 WHERE id IN (2, 3);
DELETE FROM event WHERE id = 5;
-- answer: 1, 'all' | 2, 'early' | 2, 'all' | 3, 'late' | 4, NULL
-- change: all spans end, one event with them
UPDATE span SET until = since - 1;
DELETE FROM event WHERE id = 1;
-- answer: 2, NULL | 3, NULL | 4, NULL

-- title: LEFT JOIN on one key or another
CREATE TABLE l (id INT, a INT, b INT);
CREATE TABLE r (k INT, v STRING);
INSERT INTO l VALUES (1, 1, 2), (2, NULL, 2), (3, NULL, NULL);
INSERT INTO r VALUES (1, 'one');
-- stream: incremental
SELECT l.id, r.v FROM l LEFT JOIN r ON l.a = r.k OR l.b = r.k;
-- answer: 1, 'one' | 2, NULL | 3, NULL
-- change: the other key, while the first goes
DELETE FROM r;
INSERT INTO r VALUES (2, 'two');
-- answer: 1, 'two' | 2, 'two' | 3, NULL
-- change: both
INSERT INTO r VALUES (1, 'one'), (1, 'one');
UPDATE l SET b = 1 WHERE id = 1;
UPDATE l SET a = 1 WHERE id = 3;
-- answer: 1, 'one' | 1, 'one' | 2, 'two' | 3, 'one' | 3, 'one'

-- title: LEFT JOIN on keys that are computed
CREATE TABLE l (id INT, first STRING, last STRING);
CREATE TABLE r (name STRING, v INT);
INSERT INTO l VALUES (1, 'a', 'b'), (2, 'a', NULL);
INSERT INTO r VALUES ('A B', 1);
-- stream: incremental
SELECT l.id, r.v FROM l LEFT JOIN r ON UPPER(concat(l.first, ' ', l.last)) = r.name;
-- answer: 1, 1 | 2, NULL
-- change: both sides
UPDATE l SET last = 'c';
UPDATE r SET name = 'A C';
-- answer: 1, 1 | 2, 1
-- change: the right one
UPDATE r SET name = LOWER(name);
-- answer: 1, NULL | 2, NULL

-- title: LEFT JOIN, WHERE above it keeps what has no match, or what has one
CREATE TABLE l (id INT, k INT);
CREATE TABLE r (k INT, v INT);
INSERT INTO l VALUES (1, 1), (2, 2);
INSERT INTO r VALUES (1, NULL);
-- stream: incremental
SELECT 'none' AS how, l.id FROM l LEFT JOIN r ON l.k = r.k WHERE r.k IS NULL
UNION ALL SELECT 'null', l.id FROM l LEFT JOIN r ON l.k = r.k WHERE r.v IS NULL
UNION ALL SELECT 'great', l.id FROM l LEFT JOIN r ON l.k = r.k WHERE r.v > 5 AND l.id < 3
UNION ALL SELECT 'either', l.id FROM l LEFT JOIN r ON l.k = r.k WHERE coalesce(r.v, 0) = l.id - 2;
-- answer: 'none', 2 | 'null', 1 | 'null', 2 | 'either', 2
-- change: it gets a value, the other a match
UPDATE r SET v = 9;
INSERT INTO r VALUES (2, 6);
INSERT INTO l VALUES (3, 1);
-- answer: 'great', 1 | 'great', 2
-- change: all matches go
DELETE FROM r;
-- answer: 'none', 1 | 'none', 2 | 'none', 3 | 'null', 1 | 'null', 2 | 'null', 3 | 'either', 2

-- title: four LEFT JOINs deep, each on a column of the one before
CREATE TABLE a (id INT, b INT);
CREATE TABLE b (id INT, c INT);
CREATE TABLE c (id INT, d INT);
CREATE TABLE d (id INT, e INT);
CREATE TABLE e (id INT, v STRING);
INSERT INTO a VALUES (1, 1), (2, 2), (3, NULL);
INSERT INTO b VALUES (1, 1), (2, NULL);
INSERT INTO c VALUES (1, 1);
INSERT INTO d VALUES (1, 1);
-- stream: incremental
SELECT a.id, b.id AS b, c.id AS c, d.id AS d, e.v FROM a LEFT JOIN b ON b.id = a.b LEFT JOIN c ON c.id = b.c
LEFT JOIN d ON d.id = c.d LEFT JOIN e ON e.id = d.e;
-- answer: 1, 1, 1, 1, NULL | 2, 2, NULL, NULL, NULL | 3, NULL, NULL, NULL, NULL
-- change: the leaf comes as the root moves
INSERT INTO e VALUES (1, 'x'), (1, 'y');
UPDATE a SET b = 1 WHERE id = 3;
-- answer: 1, 1, 1, 1, 'x' | 1, 1, 1, 1, 'y' | 3, 1, 1, 1, 'x' | 3, 1, 1, 1, 'y' | 2, 2, NULL, NULL, NULL
-- change: a link in the middle breaks as the leaf changes
DELETE FROM c;
UPDATE e SET v = 'z' WHERE v = 'x';
UPDATE b SET c = 1 WHERE id = 2;
-- answer: 1, 1, NULL, NULL, NULL | 3, 1, NULL, NULL, NULL | 2, 2, NULL, NULL, NULL
-- change: every table at once
INSERT INTO c VALUES (1, 2), (2, 1);
INSERT INTO d VALUES (2, 1);
UPDATE b SET c = 2 WHERE id = 1;
DELETE FROM e WHERE v = 'y';
DELETE FROM a WHERE id = 3;
-- answer: 1, 1, 2, 1, 'z' | 2, 2, 1, 2, 'z'

-- title: LEFT JOIN of joins in parentheses
CREATE TABLE a (id INT, v STRING);
CREATE TABLE b (id INT, aid INT);
CREATE TABLE c (bid INT, w STRING);
INSERT INTO a VALUES (1, 'p'), (2, 'q');
INSERT INTO b VALUES (10, 1), (11, 2);
INSERT INTO c VALUES (10, 'x');
-- stream: incremental
SELECT a.v, b.id, c.w FROM a LEFT JOIN (b JOIN c ON c.bid = b.id) ON b.aid = a.id;
-- answer: 'p', 10, 'x' | 'q', NULL, NULL
-- change: the inner join loses one and wins one
UPDATE c SET bid = 11;
UPDATE a SET v = 'P' WHERE id = 1;
-- answer: 'P', NULL, NULL | 'q', 11, 'x'
-- change: all three
INSERT INTO a VALUES (3, 'r');
INSERT INTO b VALUES (12, 3), (13, 3);
INSERT INTO c VALUES (12, 'y'), (13, 'y');
DELETE FROM b WHERE id = 11;
-- answer: 'P', NULL, NULL | 'q', NULL, NULL | 'r', 12, 'y' | 'r', 13, 'y'

-- title: LEFT JOIN of a table with itself
CREATE TABLE person (id INT, boss INT, name STRING);
INSERT INTO person VALUES (1, NULL, 'Ann'), (2, 1, 'Ben'), (3, 9, 'Cat');
-- stream: incremental
SELECT p.name, b.name AS boss, COUNT(x.id) AS below FROM person p LEFT JOIN person b ON b.id = p.boss
LEFT JOIN person x ON x.boss = p.id GROUP BY p.id, p.name, b.name;
-- answer: 'Ann', NULL, 1 | 'Ben', 'Ann', 0 | 'Cat', NULL, 0
-- change: the boss is renamed, a lost one is found, one comes
UPDATE person SET name = 'Anna' WHERE id = 1;
UPDATE person SET boss = 2 WHERE id = 3;
INSERT INTO person VALUES (9, 2, 'Dan');
-- answer: 'Anna', NULL, 1 | 'Ben', 'Anna', 2 | 'Cat', 'Ben', 0 | 'Dan', 'Ben', 0
-- change: the middle goes
DELETE FROM person WHERE id = 2;
-- answer: 'Anna', NULL, 0 | 'Cat', NULL, 0 | 'Dan', NULL, 0

-- title: RIGHT JOIN is LEFT JOIN seen from the other side
CREATE TABLE l (k INT, v STRING);
CREATE TABLE r (k INT, w STRING);
INSERT INTO l VALUES (1, 'a'), (1, 'b'), (NULL, 'n');
INSERT INTO r VALUES (1, 'x'), (2, 'y'), (NULL, 'z');
-- stream: incremental
SELECT l.v, r.w FROM l RIGHT JOIN r ON l.k = r.k AND l.v <> 'b';
-- answer: 'a', 'x' | NULL, 'y' | NULL, 'z'
-- change: both
UPDATE l SET k = 2 WHERE v = 'a';
UPDATE r SET k = 2 WHERE w = 'z';
-- answer: NULL, 'x' | 'a', 'y' | 'a', 'z'
-- change: the right loses a matched row, the left its match
DELETE FROM r WHERE w = 'y';
UPDATE l SET v = 'c' WHERE v = 'b';
-- answer: 'c', 'x' | 'a', 'z'

-- title: RIGHT JOIN behind inner joins keeps the last table whole
CREATE TABLE a (id INT);
CREATE TABLE b (aid INT, c INT);
CREATE TABLE c (id INT, v STRING);
INSERT INTO a VALUES (1);
INSERT INTO b VALUES (1, 5), (2, 6);
INSERT INTO c VALUES (5, 'x'), (6, 'y');
-- stream: incremental
SELECT a.id, b.c, c.v FROM a JOIN b ON a.id = b.aid RIGHT JOIN c ON c.id = b.c;
-- answer: 1, 5, 'x' | NULL, NULL, 'y'
-- change: all three
INSERT INTO a VALUES (2);
DELETE FROM b WHERE aid = 1;
INSERT INTO c VALUES (6, 'z');
-- answer: NULL, NULL, 'x' | 2, 6, 'y' | 2, 6, 'z'

-- title: FULL JOIN, pairs form, split, and lose either half
CREATE TABLE l (k INT, v STRING);
CREATE TABLE r (k INT, w STRING);
INSERT INTO l VALUES (1, 'a'), (1, 'a'), (2, 'b'), (NULL, 'n');
INSERT INTO r VALUES (2, 'y'), (3, 'z'), (NULL, 'n');
-- stream: incremental
SELECT l.k AS lk, l.v, r.k AS rk, r.w FROM l FULL JOIN r ON l.k = r.k;
-- answer: 1, 'a', NULL, NULL | 1, 'a', NULL, NULL | 2, 'b', 2, 'y' | NULL, 'n', NULL, NULL | NULL, NULL, 3, 'z' | NULL, NULL, NULL, 'n'
-- change: a partner for two copies, and for the lone right one
INSERT INTO r VALUES (1, 'x');
INSERT INTO l VALUES (3, 'c');
-- answer: 1, 'a', 1, 'x' | 1, 'a', 1, 'x' | 2, 'b', 2, 'y' | 3, 'c', 3, 'z' | NULL, 'n', NULL, NULL | NULL, NULL, NULL, 'n'
-- change: both halves of one pair go, the left of another, the right of a third
DELETE FROM l WHERE k IN (2, 3);
DELETE FROM r WHERE k IN (2, 1);
-- answer: 1, 'a', NULL, NULL | 1, 'a', NULL, NULL | NULL, NULL, 3, 'z' | NULL, 'n', NULL, NULL | NULL, NULL, NULL, 'n'
-- change: keys turn from NULL and to NULL
UPDATE l SET k = 7 WHERE v = 'n';
UPDATE r SET k = 7 WHERE w = 'n';
UPDATE r SET k = NULL WHERE w = 'z';
UPDATE l SET k = NULL WHERE v = 'a';
-- answer: NULL, 'a', NULL, NULL | NULL, 'a', NULL, NULL | NULL, NULL, NULL, 'z' | 7, 'n', 7, 'n'
-- change: one side empties
DELETE FROM l;
INSERT INTO r VALUES (7, 'm');
-- answer: NULL, NULL, NULL, 'z' | NULL, NULL, 7, 'n' | NULL, NULL, 7, 'm'
-- change: the other too
DELETE FROM r;
-- answer: nothing

-- title: FULL JOIN under <=> lets NULL keys meet
CREATE TABLE l (k INT, v STRING);
CREATE TABLE r (k INT, w STRING);
INSERT INTO l VALUES (NULL, 'a'), (1, 'b');
-- stream: incremental
SELECT l.v, r.w FROM l FULL JOIN r ON l.k <=> r.k;
-- answer: 'a', NULL | 'b', NULL
-- change: NULL on the right
INSERT INTO r VALUES (NULL, 'x'), (2, 'y');
-- answer: 'a', 'x' | 'b', NULL | NULL, 'y'
-- change: the keys turn
UPDATE l SET k = 2 WHERE v = 'a';
UPDATE r SET k = 1 WHERE w = 'x';
-- answer: 'a', 'y' | 'b', 'x'

-- title: FULL JOIN with conditions on either side alone and on both
CREATE TABLE l (k INT, v INT);
CREATE TABLE r (k INT, w INT);
INSERT INTO l VALUES (1, 1), (1, 5), (2, 5);
INSERT INTO r VALUES (1, 3), (1, 9), (2, 0);
-- stream: incremental
SELECT l.k, l.v, r.k AS rk, r.w FROM l FULL JOIN r ON l.k = r.k AND l.v > 0 AND r.w > 0 AND l.v < r.w;
-- answer: 1, 1, 1, 3 | 1, 1, 1, 9 | 1, 5, 1, 9 | 2, 5, NULL, NULL | NULL, NULL, 2, 0
-- change: one-sided conditions flip on both sides
UPDATE l SET v = -1 WHERE v = 1;
UPDATE r SET w = 7 WHERE k = 2;
-- answer: 1, -1, NULL, NULL | 1, 5, 1, 9 | 2, 5, 2, 7 | NULL, NULL, 1, 3
-- change: the shared condition flips
UPDATE l SET v = v + 5;
DELETE FROM r WHERE w = 9;
-- answer: 1, 4, NULL, NULL | 1, 10, NULL, NULL | 2, 10, NULL, NULL | NULL, NULL, 1, 3 | NULL, NULL, 2, 7
-- change: every right row meets
UPDATE r SET w = 100;
UPDATE l SET k = 1 WHERE k = 2;
-- answer: 1, 4, 1, 100 | 1, 10, 1, 100 | 1, 10, 1, 100 | NULL, NULL, 2, 100

-- title: FULL JOIN USING shows its column once
CREATE TABLE l (k INT, v STRING);
CREATE TABLE r (k INT, w STRING);
INSERT INTO l VALUES (1, 'a'), (2, 'b');
INSERT INTO r VALUES (2, 'y'), (3, 'z');
-- stream: incremental
SELECT k, v, w FROM l FULL JOIN r USING (k);
-- answer: 1, 'a', NULL | 2, 'b', 'y' | 3, NULL, 'z'
-- change: keys move past each other
UPDATE l SET k = 3 WHERE k = 1;
UPDATE r SET k = 1 WHERE k = 2;
-- answer: 1, NULL, 'y' | 2, 'b', NULL | 3, 'a', 'z'

-- title: LEFT and RIGHT JOIN USING
CREATE TABLE l (k INT, v STRING);
CREATE TABLE r (k INT, w STRING);
INSERT INTO l VALUES (1, 'a'), (2, 'b');
INSERT INTO r VALUES (2, 'y'), (3, 'z');
-- stream: incremental
SELECT 'l' AS how, k, v, w FROM l LEFT JOIN r USING (k) UNION ALL SELECT 'r', k, v, w FROM l RIGHT JOIN r USING (k);
-- answer: 'l', 1, 'a', NULL | 'l', 2, 'b', 'y' | 'r', 2, 'b', 'y' | 'r', 3, NULL, 'z'
-- change: both
UPDATE l SET k = 3 WHERE k = 2;
INSERT INTO r VALUES (1, 'x');
-- answer: 'l', 1, 'a', 'x' | 'l', 3, 'b', 'z' | 'r', 2, NULL, 'y' | 'r', 3, 'b', 'z' | 'r', 1, 'a', 'x'

-- title: three tables FULL JOINed on what is known of their key
CREATE TABLE a (k INT, x INT);
CREATE TABLE b (k INT, y INT);
CREATE TABLE c (k INT, z INT);
INSERT INTO a VALUES (1, 1);
INSERT INTO b VALUES (2, 2);
INSERT INTO c VALUES (2, 3), (3, 3);
-- stream: incremental
SELECT coalesce(a.k, b.k, c.k) AS k, a.x, b.y, c.z FROM a FULL JOIN b ON a.k = b.k FULL JOIN c ON c.k = coalesce(a.k, b.k);
-- answer: 1, 1, NULL, NULL | 2, NULL, 2, 3 | 3, NULL, NULL, 3
-- change: each table wins a row and a NULL
INSERT INTO a VALUES (3, 31), (NULL, 0);
INSERT INTO b VALUES (1, 12), (NULL, 0);
INSERT INTO c VALUES (1, 13), (NULL, 0);
-- answer: 1, 1, 12, 13 | 2, NULL, 2, 3 | 3, 31, NULL, 3 | NULL, 0, NULL, NULL | NULL, NULL, 0, NULL | NULL, NULL, NULL, 0
-- change: each loses one
DELETE FROM a WHERE k = 1;
DELETE FROM b WHERE k = 2;
DELETE FROM c WHERE k = 3;
-- answer: 1, NULL, 12, 13 | 2, NULL, NULL, 3 | 3, 31, NULL, NULL | NULL, 0, NULL, NULL | NULL, NULL, 0, NULL | NULL, NULL, NULL, 0

-- title: FULL JOIN of two aggregates of one table
CREATE TABLE t (k STRING, n INT, is_in BOOLEAN);
INSERT INTO t VALUES ('a', 1, TRUE), ('a', 2, TRUE), ('b', 3, FALSE), (NULL, 4, TRUE);
-- stream: incremental
SELECT coalesce(i.k, o.k) AS k, i.s AS put, o.s AS taken FROM (SELECT k, SUM(n) AS s FROM t WHERE is_in GROUP BY k) i
FULL JOIN (SELECT k, SUM(n) AS s FROM t WHERE NOT is_in GROUP BY k) o ON i.k = o.k;
-- answer: 'a', 3, NULL | 'b', NULL, 3 | NULL, 4, NULL
-- change: every row turns
UPDATE t SET is_in = NOT is_in;
-- answer: 'a', NULL, 3 | 'b', 3, NULL | NULL, NULL, 4
-- change: both sides
INSERT INTO t VALUES ('a', 5, TRUE), ('b', 1, FALSE), (NULL, 6, TRUE);
-- answer: 'a', 5, 3 | 'b', 3, 1 | NULL, NULL, 4 | NULL, 6, NULL

-- title: LEFT JOIN of an aggregate whose group comes and goes by HAVING
CREATE TABLE c (id INT, name STRING);
CREATE TABLE o (cid INT, amount INT);
INSERT INTO c VALUES (1, 'Ann'), (2, 'Ben');
INSERT INTO o VALUES (1, 60), (2, 200);
-- stream: incremental
SELECT c.name, coalesce(g.total, 0) AS total, g.cid IS NULL AS is_small
FROM c LEFT JOIN (SELECT cid, SUM(amount) AS total FROM o GROUP BY cid HAVING SUM(amount) > 100) g ON g.cid = c.id;
-- answer: 'Ann', 0, TRUE | 'Ben', 200, FALSE
-- change: one crosses up, one down, one is renamed
INSERT INTO o VALUES (1, 60), (2, -150);
UPDATE c SET name = 'Bob' WHERE id = 2;
-- answer: 'Ann', 120, FALSE | 'Bob', 0, TRUE
-- change: a total changes, a customer comes with a great order
INSERT INTO o VALUES (1, 1), (3, 500);
INSERT INTO c VALUES (3, 'Cat');
-- answer: 'Ann', 121, FALSE | 'Bob', 0, TRUE | 'Cat', 500, FALSE

-- title: aggregates and DISTINCT above outer joins count padded rows
CREATE TABLE l (g STRING, k INT);
CREATE TABLE r (k INT, v INT);
INSERT INTO l VALUES ('p', 1), ('p', 2), ('q', 3), (NULL, NULL);
INSERT INTO r VALUES (1, 10), (1, 20), (4, 40);
-- stream: incremental
SELECT l.g, COUNT(*) AS n, COUNT(r.v) AS m, SUM(r.v) AS s, COUNT(DISTINCT r.k) AS k FROM l FULL JOIN r ON l.k = r.k GROUP BY l.g;
-- answer: 'p', 3, 2, 30, 1 | 'q', 1, 0, NULL, 0 | NULL, 2, 1, 40, 1
-- change: matches come and go on both sides
INSERT INTO r VALUES (3, NULL), (2, 5);
DELETE FROM r WHERE v = 10;
UPDATE l SET k = 4 WHERE g IS NULL;
-- answer: 'p', 2, 2, 25, 2 | 'q', 1, 0, NULL, 1 | NULL, 1, 1, 40, 1
-- change: the right side empties as a group moves
DELETE FROM r;
UPDATE l SET g = 'p' WHERE g = 'q';
-- answer: 'p', 3, 0, NULL, 0 | NULL, 1, 0, NULL, 0

-- title: DISTINCT and set operations above outer joins
CREATE TABLE l (k INT, v STRING);
CREATE TABLE r (k INT, w STRING);
INSERT INTO l VALUES (1, 'a'), (2, 'a');
INSERT INTO r VALUES (1, 'x');
-- stream: incremental
SELECT DISTINCT v, w FROM l LEFT JOIN r ON l.k = r.k EXCEPT SELECT v, w FROM r LEFT JOIN l ON l.k = r.k + 1;
-- answer: 'a', NULL
-- change: both
INSERT INTO r VALUES (2, 'y');
UPDATE l SET v = 'b' WHERE k = 1;
-- change: and again
DELETE FROM r WHERE k = 1;
INSERT INTO l VALUES (3, 'c');
DELETE FROM l WHERE k = 1;

-- title: an outer join of derived tables that compute, filter and rename
CREATE TABLE l (id INT, k INT);
CREATE TABLE r (k INT, v INT);
INSERT INTO l VALUES (1, 1), (2, 2), (3, 3);
INSERT INTO r VALUES (10, 1), (20, -1);
-- stream: incremental
WITH a AS (SELECT id, k * 10 AS key FROM l WHERE id <> 3), b AS (SELECT k AS key, v * v AS square FROM r WHERE v > 0)
SELECT a.id, b.square + 1 AS s, b.key IS NOT NULL AS has FROM a LEFT JOIN b ON a.key = b.key;
-- answer: 1, 2, TRUE | 2, NULL, FALSE
-- change: the filters of both sides flip
UPDATE r SET v = -v;
UPDATE l SET id = id + 1;
-- answer: 4, NULL, FALSE | 2, NULL, FALSE
-- change: again
UPDATE r SET v = 3;
UPDATE l SET k = 1;
-- answer: 4, 10, TRUE | 2, 10, TRUE

-- title: keys of outer joins that are text, dates, decimals and of different types
CREATE TABLE l (id INT, d DATE, s STRING, n DECIMAL(10,2), k INT);
CREATE TABLE r (d DATE, s STRING, n DECIMAL(10,2), k BIGINT, v INT);
INSERT INTO l VALUES (1, DATE'2024-01-31', 'it''s', 1.50, 1), (2, NULL, '', 0.00, 2);
INSERT INTO r VALUES (DATE'2024-01-31', 'it''s', 1.50, 1, 7);
-- stream: incremental
SELECT l.id, a.v AS by_date, b.v AS by_text, c.v AS by_number, e.v AS by_key FROM l LEFT JOIN r a ON a.d = l.d
LEFT JOIN r b ON b.s = l.s LEFT JOIN r c ON c.n = l.n LEFT JOIN r e ON e.k = l.k;
-- answer: 1, 7, 7, 7, 7 | 2, NULL, NULL, NULL, NULL
-- change: all keys of the other side, and a row
UPDATE r SET d = NULL, s = '', n = 0, k = 2;
INSERT INTO l VALUES (3, DATE'2024-01-31', 'x', 2.25, 2);
-- answer: 1, NULL, NULL, NULL, NULL | 2, NULL, 7, 7, 7 | 3, NULL, NULL, NULL, 7

-- title: as-of join, LEFT, by a window over the matches
CREATE TABLE trade (id INT, sym STRING, ts INT);
CREATE TABLE quote (sym STRING, ts INT, price INT);
INSERT INTO trade VALUES (1, 'a', 10), (2, 'a', 20), (3, 'b', 10);
INSERT INTO quote VALUES ('a', 5, 100), ('a', 15, 110);
-- stream: incremental
SELECT id, price FROM (SELECT t.id, q.price, ROW_NUMBER() OVER (PARTITION BY t.id ORDER BY q.ts DESC) AS n
FROM trade t LEFT JOIN quote q ON q.sym = t.sym AND q.ts <= t.ts) z WHERE n = 1;
-- answer: 1, 100 | 2, 110 | 3, NULL
-- change: a quote comes late, another goes
INSERT INTO quote VALUES ('a', 8, 105), ('b', 10, 1);
DELETE FROM quote WHERE ts = 15;
-- answer: 1, 105 | 2, 105 | 3, 1
-- change: a trade moves before all quotes
UPDATE trade SET ts = 1 WHERE id = 1;
UPDATE quote SET price = 106 WHERE ts = 8;
-- answer: 1, NULL | 2, 106 | 3, 1

-- title: an outer join beside inner and cross joins
CREATE TABLE a (id INT, k INT);
CREATE TABLE b (k INT, v STRING);
CREATE TABLE c (id INT, w STRING);
INSERT INTO a VALUES (1, 1), (2, 2);
INSERT INTO b VALUES (1, 'x');
INSERT INTO c VALUES (1, 'p'), (2, 'q');
-- stream: incremental
SELECT a.id, b.v, c.w, d.v AS other FROM a LEFT JOIN b ON a.k = b.k JOIN c ON c.id = a.id AND coalesce(b.v, 'x') = 'x' CROSS JOIN b d;
-- answer: 1, 'x', 'p', 'x' | 2, NULL, 'q', 'x'
-- change: all three
INSERT INTO b VALUES (2, 'y');
UPDATE c SET w = 'P' WHERE id = 1;
INSERT INTO a VALUES (1, 3);
-- change: one side of the cross join empties
DELETE FROM b;
INSERT INTO a VALUES (2, 4);
-- answer: nothing

-- title: the same rows come and go in one refresh
CREATE TABLE l (id INT, k INT);
CREATE TABLE r (k INT, v INT);
INSERT INTO l VALUES (1, 1);
INSERT INTO r VALUES (1, 5);
-- stream: incremental
SELECT l.id, r.v FROM l FULL JOIN r ON l.k = r.k;
-- change: they go and come back, on both sides
DELETE FROM r;
DELETE FROM l;
INSERT INTO l VALUES (1, 1), (2, 2);
INSERT INTO r VALUES (1, 5), (2, 2);
DELETE FROM l WHERE id = 2;
DELETE FROM r WHERE k = 2;
-- expect: nothing

-- title: subqueries in ON, each about one side
CREATE TABLE a (id INT, k INT);
CREATE TABLE b (id INT, v INT);
CREATE TABLE c (least INT);
CREATE TABLE d (k INT);
INSERT INTO a VALUES (1, 1), (2, 2), (2, 2), (3, NULL);
INSERT INTO b VALUES (1, 5), (2, 1), (3, 9);
INSERT INTO c VALUES (3);
INSERT INTO d VALUES (1), (9);
-- stream: incremental
SELECT a.id, b.v FROM a LEFT JOIN b ON a.id = b.id AND b.v > (SELECT MAX(least) FROM c)
  AND EXISTS (SELECT 1 FROM d WHERE d.k = a.k);
-- answer: 1, 5 | 2, NULL | 2, NULL | 3, NULL
-- change: the limit falls, another key is known
UPDATE c SET least = 0;
INSERT INTO d VALUES (2);
-- answer: 1, 5 | 2, 1 | 2, 1 | 3, NULL
-- change: all
DELETE FROM c;
DELETE FROM b WHERE id = 1;
INSERT INTO d VALUES (NULL);
-- answer: 1, NULL | 2, NULL | 2, NULL | 3, NULL

-- title: FULL JOIN, IN a subquery in ON
CREATE TABLE a (id INT);
CREATE TABLE b (id INT, v INT);
CREATE TABLE c (v INT);
INSERT INTO a VALUES (1), (2);
INSERT INTO b VALUES (1, 5), (2, 6), (4, 7);
INSERT INTO c VALUES (6);
-- stream: incremental
SELECT a.id, b.id AS other, b.v FROM a FULL JOIN b ON a.id = b.id AND b.v IN (SELECT v FROM c) AND a.id IN (SELECT id FROM b);
-- answer: 1, NULL, NULL | NULL, 1, 5 | 2, 2, 6 | NULL, 4, 7
-- change: the other one is in, and a NULL
UPDATE c SET v = 5;
INSERT INTO c VALUES (NULL);
INSERT INTO a VALUES (4);
-- answer: 1, 1, 5 | 2, NULL, NULL | NULL, 2, 6 | 4, NULL, NULL | NULL, 4, 7

-- title: an inner join on a subquery before a full one
CREATE TABLE a (id INT);
CREATE TABLE b (id INT);
CREATE TABLE c (id INT);
INSERT INTO a VALUES (1), (2), (3);
INSERT INTO b VALUES (1), (2), (4);
INSERT INTO c VALUES (2), (4);
-- stream: incremental
SELECT a.id AS a, c.id AS c FROM a JOIN b ON a.id = b.id AND EXISTS (SELECT 1 FROM c WHERE c.id = b.id) FULL JOIN c ON c.id = a.id;
-- answer: 2, 2 | NULL, 4
-- change: all three
INSERT INTO c VALUES (1);
DELETE FROM a WHERE id = 2;
UPDATE b SET id = 3 WHERE id = 4;
-- answer: 1, 1 | NULL, 2 | NULL, 4

-- title: IN inside ON, below NOT EXISTS and beside a NOT IN of its own
CREATE TABLE m (id INT, v INT);
CREATE TABLE t (v INT);
CREATE TABLE u (id INT, g STRING, v INT);
CREATE TABLE r (k STRING, v INT);
INSERT INTO m VALUES (1, 5), (2, 6);
INSERT INTO t VALUES (5);
INSERT INTO u VALUES (1, 'a', 5), (3, 'b', 7);
INSERT INTO r VALUES ('a', 5), ('b', 8);
-- stream: incremental
SELECT m.id FROM m WHERE NOT EXISTS (
  SELECT 1 FROM u LEFT JOIN r ON u.g = r.k AND u.v IN (SELECT v FROM t) WHERE u.id = m.id AND r.v IS NOT NULL)
UNION ALL
SELECT r.v FROM u LEFT JOIN r ON u.g = r.k AND EXISTS (SELECT 1 FROM t WHERE t.v < u.v AND t.v NOT IN (SELECT v FROM m));
-- answer: 2 | NULL | NULL
-- change: what is met goes, and something unmet comes
UPDATE m SET v = 9 WHERE id = 1;
DELETE FROM r WHERE k = 'a';
INSERT INTO t VALUES (6);
-- answer: 1 | 2 | NULL | 8
