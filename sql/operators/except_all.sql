-- title: trap D4: a deficit is remembered
CREATE TABLE a (x INT);
CREATE TABLE b (x INT);
INSERT INTO a VALUES (1);
INSERT INTO b VALUES (1), (1), (1);
-- stream: incremental
SELECT x FROM a EXCEPT ALL SELECT x FROM b;
-- answer: nothing
-- change: as many as there
INSERT INTO a VALUES (1), (1);
-- answer: nothing
-- change: one more
INSERT INTO a VALUES (1);
-- answer: 1

-- title: the surplus moves by more than one, on both sides at once
CREATE TABLE a (id INT, x INT);
CREATE TABLE b (id INT, x INT);
INSERT INTO a VALUES (1, 7), (2, 7), (3, 7), (4, NULL);
INSERT INTO b VALUES (1, NULL), (2, NULL);
-- stream: incremental
SELECT x FROM a EXCEPT ALL SELECT x FROM b;
-- answer: 7 | 7 | 7
-- change: two more on the right, one less on the left
INSERT INTO b VALUES (3, 7), (4, 7);
DELETE FROM a WHERE id = 3;
-- expect: - 7 | 7 | 7
-- change: both NULLs there go, one here comes
DELETE FROM b WHERE x IS NULL;
INSERT INTO a VALUES (5, NULL);
-- expect: + NULL | NULL
-- change: the deficit grows unseen
INSERT INTO b VALUES (5, 7);
-- expect: nothing
-- change: the right empties
DELETE FROM b;
-- expect: + 7 | 7

-- title: copies of a row that only the left has
CREATE TABLE a (id INT, x INT);
CREATE TABLE b (x INT);
-- stream: incremental
SELECT x FROM a EXCEPT ALL SELECT x FROM b;
-- change: none to one
INSERT INTO a VALUES (1, 5);
-- expect: + 5
-- change: one to two
INSERT INTO a VALUES (2, 5);
-- expect: + 5
-- change: two to one
DELETE FROM a WHERE id = 1;
-- expect: - 5
-- change: one to none
DELETE FROM a;
-- expect: - 5

-- title: EXCEPT ALL below DISTINCT and a count
CREATE TABLE a (g STRING, x INT);
CREATE TABLE b (g STRING, x INT);
INSERT INTO a VALUES ('p', 1), ('p', 1), ('q', 2), (NULL, 1);
INSERT INTO b VALUES ('p', 1);
-- stream: incremental
SELECT g, count(*) AS n FROM (SELECT g, x FROM a EXCEPT ALL SELECT g, x FROM b) z GROUP BY g
UNION ALL SELECT 'different', count(*) FROM (SELECT DISTINCT x FROM (SELECT g, x FROM a EXCEPT ALL SELECT g, x FROM b) y) w;
-- answer: 'p', 1 | 'q', 1 | NULL, 1 | 'different', 2
-- change: both
INSERT INTO b VALUES ('q', 2), (NULL, 1);
INSERT INTO a VALUES ('p', 1);
-- answer: 'p', 2 | 'different', 1

-- title: a chain of all of them, rows that are hidden at every step
CREATE TABLE a (x INT, s STRING);
CREATE TABLE b (x INT, s STRING);
CREATE TABLE c (x INT, s STRING);
INSERT INTO a VALUES (1, 'p'), (1, 'p'), (1, 'p'), (2, 'q'), (NULL, NULL), (NULL, NULL);
INSERT INTO b VALUES (1, 'p'), (1, 'p'), (2, 'q'), (3, 'r'), (NULL, NULL);
INSERT INTO c VALUES (1, 'p'), (4, 't');
-- stream: incremental
SELECT s, 12 / x AS share FROM (
  (SELECT x, s FROM a INTERSECT ALL SELECT x, s FROM b) EXCEPT ALL (SELECT x, s FROM c UNION SELECT x, s FROM c WHERE x > 3)
) WHERE x > 0 OR s IS NULL;
-- answer: 'p', 12.0 | 'q', 6.0 | NULL, NULL
-- change: copies move through the chain on all sides at once
DELETE FROM b WHERE x = 1;
INSERT INTO b VALUES (NULL, NULL), (4, 't'), (4, 't');
INSERT INTO a VALUES (4, 't'), (4, 't');
DELETE FROM c WHERE x = 1;
-- answer: 'q', 6.0 | NULL, NULL | NULL, NULL | 't', 3.0
-- change: what was hidden shows, what showed is hidden; of a row that WHERE keeps away nobody asks its share
INSERT INTO b VALUES (1, 'p'), (1, 'p'), (0, 'zero');
INSERT INTO a VALUES (0, 'zero');
DELETE FROM c;
INSERT INTO c VALUES (NULL, NULL), (2, 'q');
-- answer: 'p', 12.0 | 'p', 12.0 | 't', 3.0 | 't', 3.0 | NULL, NULL
-- change: it all goes
DELETE FROM a;
-- answer: nothing

-- title: UNION ALL over set operators
CREATE TABLE a (x INT);
CREATE TABLE b (x INT);
INSERT INTO a VALUES (1), (1), (2), (NULL);
INSERT INTO b VALUES (1), (3);
-- stream: incremental
(SELECT DISTINCT x FROM a) UNION ALL (SELECT x FROM b EXCEPT SELECT x FROM a) UNION ALL SELECT x FROM b;
-- answer: 1 | 2 | NULL | 3 | 1 | 3
-- change: on all sides
DELETE FROM a WHERE x = 1;
INSERT INTO a VALUES (3), (3);
INSERT INTO b VALUES (3), (NULL);
-- answer: 2 | NULL | 3 | 1 | 1 | 3 | 3 | NULL
-- change: back
DELETE FROM a;
-- answer: 1 | 1 | 3 | 3 | 3 | NULL | NULL
