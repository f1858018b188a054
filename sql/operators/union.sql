-- title: trap D7: inputs with other names meet by position
CREATE TABLE a (x INT, y INT);
CREATE TABLE b (p INT, q INT);
INSERT INTO a VALUES (1, 2);
INSERT INTO b VALUES (9, 9);
-- stream: incremental
SELECT x, y FROM a UNION SELECT p, q FROM b;
-- answer: 1, 2 | 9, 9
-- change: the other has it too
INSERT INTO b VALUES (1, 2);
-- expect: nothing
-- change: the one loses it
DELETE FROM a;
-- expect: nothing
-- change: both lose it
DELETE FROM b WHERE p = 1;
-- expect: - 1, 2

-- title: copies on both sides, one at a time and many at once
CREATE TABLE a (x INT);
CREATE TABLE b (x INT);
-- stream: incremental
SELECT x FROM a UNION SELECT x FROM b;
-- answer: nothing
-- change: both get it
INSERT INTO a VALUES (1), (1), (NULL);
INSERT INTO b VALUES (1), (NULL);
-- expect: + 1 | NULL
-- change: it leaves here, and NULL there
DELETE FROM a WHERE x = 1;
DELETE FROM b WHERE x IS NULL;
-- expect: nothing
-- change: it moves from there to here
DELETE FROM b;
INSERT INTO a VALUES (1);
-- expect: nothing
-- change: all go
DELETE FROM a;
-- expect: - 1 | NULL

-- title: UNION of a table with itself
CREATE TABLE a (id INT, x INT);
INSERT INTO a VALUES (1, 5), (2, NULL);
-- stream: incremental
SELECT x FROM a UNION SELECT x FROM a WHERE x > 3;
-- answer: 5 | NULL
-- change: the one that passes both
UPDATE a SET x = 1 WHERE id = 1;
-- expect: - 5
-- expect: + 1

-- title: a long chain, mixed with UNION ALL
CREATE TABLE a (x INT);
CREATE TABLE b (x INT);
CREATE TABLE c (x INT);
INSERT INTO a VALUES (1), (1);
INSERT INTO b VALUES (1);
-- stream: incremental
SELECT x FROM a UNION SELECT x FROM b UNION ALL SELECT x FROM c UNION SELECT x FROM c UNION ALL SELECT x FROM a;
-- answer: 1 | 1 | 1
-- change: all change
INSERT INTO c VALUES (1), (2), (2);
DELETE FROM b;
UPDATE a SET x = 3;
-- answer: 1 | 2 | 3 | 3 | 3
