-- title: LATERAL VIEW and explode
CREATE TABLE a (id INT, l ARRAY<INT>);
INSERT INTO a VALUES (1, array(1, 2)), (2, array());
-- stream: incremental
SELECT id, x FROM a LATERAL VIEW explode(l) v AS x;
-- answer: 1, 1 | 1, 2
-- change: an empty list fills
UPDATE a SET l = array(7) WHERE id = 2;
-- answer: 1, 1 | 1, 2 | 2, 7

-- title: explode in the list, with copies, NULL and empty arrays
CREATE TABLE a (id INT, l ARRAY<INT>);
INSERT INTO a VALUES (1, array(1, 1, 2)), (2, NULL), (3, array(NULL)), (1, array(1, 1, 2));
-- stream: incremental
SELECT id, explode(l) AS x FROM a;
-- answer: 1, 1 | 1, 1 | 1, 1 | 1, 1 | 1, 2 | 1, 2 | 3, NULL
-- change: one element less, NULL fills
UPDATE a SET l = array(1, 2) WHERE id = 1;
UPDATE a SET l = array(7, 8) WHERE id = 2;
-- expect: - 1, 1 | 1, 1
-- expect: + 2, 7 | 2, 8
-- change: the order of elements alone
UPDATE a SET l = array(8, 7) WHERE id = 2;
-- expect: nothing
-- change: one goes, one empties
DELETE FROM a WHERE id = 1;
UPDATE a SET l = NULL WHERE id = 3;
-- answer: 2, 7 | 2, 8

-- title: words are split and counted
CREATE TABLE doc (id INT, text STRING);
CREATE TABLE stop (word STRING);
INSERT INTO doc VALUES (1, 'the cat the dog'), (2, 'a cat');
INSERT INTO stop VALUES ('the');
-- stream: incremental
SELECT word, COUNT(*) AS n, COUNT(DISTINCT id) AS docs FROM (SELECT id, explode(split(text, ' ')) AS word FROM doc) w
WHERE word NOT IN (SELECT word FROM stop) GROUP BY word;
-- answer: 'cat', 2, 2 | 'dog', 1, 1 | 'a', 1, 1
-- change: a document is rewritten, a word is stopped, another let go
UPDATE doc SET text = 'the dog the dog' WHERE id = 1;
UPDATE stop SET word = 'a' WHERE word = 'the';
-- answer: 'cat', 1, 1 | 'dog', 2, 1 | 'the', 2, 1

-- title: LATERAL VIEW, twice, each of the one before
CREATE TABLE a (id INT, l ARRAY<INT>);
CREATE TABLE b (x INT, name STRING);
INSERT INTO a VALUES (1, array(1, 2)), (2, array(3));
INSERT INTO b VALUES (1, 'one'), (3, 'three');
-- stream: incremental
SELECT v.id, v.x, v.y, b.name FROM (SELECT a.id, e.x, f.y FROM a LATERAL VIEW explode(l) e AS x LATERAL VIEW explode(sequence(1, e.x)) f AS y) v LEFT JOIN b ON b.x = v.x;
-- answer: 1, 1, 1, 'one' | 1, 2, 1, NULL | 1, 2, 2, NULL | 2, 3, 1, 'three' | 2, 3, 2, 'three' | 2, 3, 3, 'three'
-- change: both
UPDATE a SET l = array(1) WHERE id = 2;
INSERT INTO b VALUES (2, 'two');
DELETE FROM b WHERE x = 1;
-- answer: 1, 1, 1, NULL | 1, 2, 1, 'two' | 1, 2, 2, 'two' | 2, 1, 1, NULL

-- title: hopping windows by explode of a sequence
CREATE TABLE event (k STRING, ts INT, v INT);
INSERT INTO event VALUES ('a', 1, 1), ('a', 7, 2), ('b', 12, 4);
-- stream: incremental
SELECT k, since, SUM(v) AS s, COUNT(*) AS n FROM (SELECT k, v, explode(sequence(ts - ts % 5 - 5, ts - ts % 5, 5)) AS since FROM event) w GROUP BY k, since;
-- answer: 'a', -5, 1, 1 | 'a', 0, 3, 2 | 'a', 5, 2, 1 | 'b', 5, 4, 1 | 'b', 10, 4, 1
-- change: an event moves one hop, one goes, one comes
UPDATE event SET ts = 11 WHERE ts = 7;
DELETE FROM event WHERE k = 'b';
INSERT INTO event VALUES ('a', 1, 5);
-- answer: 'a', -5, 6, 2 | 'a', 0, 6, 2 | 'a', 5, 2, 1 | 'a', 10, 2, 1

-- title: explode joined, grouped, and its element looked up
CREATE TABLE basket (id INT, items ARRAY<STRING>);
CREATE TABLE price (item STRING, p INT);
INSERT INTO basket VALUES (1, array('x', 'y', 'y')), (2, array('z'));
INSERT INTO price VALUES ('x', 1), ('y', 2);
-- stream: incremental
SELECT b.id, SUM(p.p) AS total, COUNT(*) AS n, COUNT(p.p) AS priced FROM (SELECT id, explode(items) AS item FROM basket) b
LEFT JOIN price p ON p.item = b.item GROUP BY b.id;
-- answer: 1, 5, 3, 3 | 2, NULL, 1, 0
-- change: a price, a basket
UPDATE price SET p = 3 WHERE item = 'y';
INSERT INTO price VALUES ('z', 9);
UPDATE basket SET items = array('y', 'z') WHERE id = 1;
-- answer: 1, 12, 2, 2 | 2, 9, 1, 1
-- change: a price goes, a basket empties
DELETE FROM price WHERE item = 'y';
UPDATE basket SET items = array() WHERE id = 2;
-- answer: 1, 9, 2, 1

-- title: posexplode, in order
-- lane: spark DuckDB's unnest counts as it likes
CREATE TABLE a (id INT, l ARRAY<STRING>);
INSERT INTO a VALUES (1, array('x', 'y')), (2, NULL);
-- stream: incremental
SELECT id, pos, col FROM (SELECT id, posexplode(l) FROM a) z UNION ALL SELECT id, p, e FROM a LATERAL VIEW posexplode(l) v AS p, e;
-- answer: 1, 0, 'x' | 1, 0, 'x' | 1, 1, 'y' | 1, 1, 'y'
-- change: one in front, NULL fills
UPDATE a SET l = array('w', 'x', 'y') WHERE id = 1;
UPDATE a SET l = array(NULL) WHERE id = 2;
-- answer: 1, 0, 'w' | 1, 0, 'w' | 1, 1, 'x' | 1, 1, 'x' | 1, 2, 'y' | 1, 2, 'y' | 2, 0, NULL | 2, 0, NULL

-- title: LATERAL VIEW OUTER keeps what has nothing
-- lane: spark its syntax is its own
CREATE TABLE a (id INT, l ARRAY<INT>);
CREATE TABLE b (id INT, l ARRAY<INT>);
INSERT INTO a VALUES (1, array(1, 2)), (2, array()), (3, NULL);
INSERT INTO b VALUES (1, NULL), (2, array(5));
-- stream: incremental
SELECT 'view' AS how, id, x FROM a LATERAL VIEW OUTER explode(l) v AS x UNION ALL SELECT 'call', id, explode_outer(l) FROM b;
-- answer: 'view', 1, 1 | 'view', 1, 2 | 'view', 2, NULL | 'view', 3, NULL | 'call', 1, NULL | 'call', 2, 5
-- change: they fill and empty
UPDATE a SET l = array(9) WHERE id = 3;
UPDATE a SET l = NULL WHERE id = 1;
UPDATE b SET l = array() WHERE id = 2;
-- answer: 'view', 1, NULL | 'view', 2, NULL | 'view', 3, 9 | 'call', 1, NULL | 'call', 2, NULL

-- title: inline, stack and maps
-- lane: spark DuckDB has none of them
CREATE TABLE a (id INT, s ARRAY<STRUCT<x: INT, y: STRING>>, q1 INT, q2 INT);
CREATE TABLE m (id INT, k STRING, v INT);
INSERT INTO a VALUES (1, array(named_struct('x', 1, 'y', 'a'), named_struct('x', 2, 'y', 'b')), 10, 20), (2, NULL, NULL, 5);
INSERT INTO m VALUES (1, 'p', 1);
-- stream: incremental
SELECT 'inline' AS how, id, v.x AS n, v.y AS s FROM a LATERAL VIEW inline(s) v AS x, y
UNION ALL SELECT 'stack', id, v.n, v.q FROM a LATERAL VIEW stack(2, 'q1', q1, 'q2', q2) v AS q, n
UNION ALL SELECT 'map', id, e.value, e.key FROM m LATERAL VIEW explode(map(k, v)) e AS key, value;
-- answer: 'inline', 1, 1, 'a' | 'inline', 1, 2, 'b' | 'stack', 1, 10, 'q1' | 'stack', 1, 20, 'q2' | 'stack', 2, NULL, 'q1' | 'stack', 2, 5, 'q2' | 'map', 1, 1, 'p'
-- change: all of them
UPDATE a SET s = array(named_struct('x', 3, 'y', 'c')), q1 = 7 WHERE id = 2;
UPDATE m SET v = 2;
DELETE FROM a WHERE id = 1;
-- answer: 'inline', 2, 3, 'c' | 'stack', 2, 7, 'q1' | 'stack', 2, 5, 'q2' | 'map', 1, 2, 'p'

-- title: generators that lie in FROM
-- lane: spark its syntax is its own
CREATE TABLE a (id INT, l ARRAY<INT>);
INSERT INTO a VALUES (1, array(1, 2)), (2, array());
-- stream: incremental
SELECT a.id, e.x FROM a, LATERAL explode(a.l) AS e(x) UNION ALL SELECT a.id, e.x FROM a LEFT JOIN LATERAL explode(a.l) AS e(x) ON TRUE;
-- answer: 1, 1 | 1, 1 | 1, 2 | 1, 2 | 2, NULL
-- change: it fills
UPDATE a SET l = array(3) WHERE id = 2;
INSERT INTO a VALUES (3, NULL);
-- answer: 1, 1 | 1, 1 | 1, 2 | 1, 2 | 2, 3 | 2, 3 | 3, NULL
