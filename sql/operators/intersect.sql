-- title: trap D2: a row leaves the right side and returns
CREATE TABLE a (x INT);
CREATE TABLE b (x INT);
INSERT INTO a VALUES (1), (1);
INSERT INTO b VALUES (1);
-- stream: incremental
SELECT x FROM a INTERSECT SELECT x FROM b;
-- answer: 1
-- change: it leaves
DELETE FROM b;
-- answer: nothing
-- change: it returns
INSERT INTO b VALUES (1);
-- answer: 1

-- title: NULL equals NULL, copies do not count
CREATE TABLE a (x INT, y STRING);
CREATE TABLE b (x INT, y STRING);
INSERT INTO a VALUES (NULL, 'n'), (NULL, 'n'), (1, NULL);
-- stream: incremental
SELECT x, y FROM a INTERSECT SELECT x, y FROM b;
-- answer: nothing
-- change: both come
INSERT INTO b VALUES (NULL, 'n'), (1, NULL), (1, NULL), (1, 'n');
-- expect: + NULL, 'n' | 1, NULL
-- change: copies go on both sides
DELETE FROM b WHERE y IS NULL;
INSERT INTO b VALUES (1, NULL);
DELETE FROM a WHERE x IS NULL;
INSERT INTO a VALUES (NULL, 'n');
-- expect: nothing
-- change: the last goes from one side
DELETE FROM a WHERE x = 1;
-- expect: - 1, NULL

-- title: a row changes sides in one refresh
CREATE TABLE a (x INT);
CREATE TABLE b (x INT);
INSERT INTO a VALUES (1);
INSERT INTO b VALUES (2);
-- stream: incremental
SELECT x FROM a INTERSECT SELECT x FROM b;
-- change: they swap
UPDATE a SET x = 2;
UPDATE b SET x = 1;
-- expect: nothing
-- change: they meet
UPDATE a SET x = 3;
UPDATE b SET x = 3;
-- expect: + 3
-- change: they move on together
UPDATE a SET x = 4;
UPDATE b SET x = 4;
-- expect: - 3
-- expect: + 4
-- change: both go
DELETE FROM a;
DELETE FROM b;
-- expect: - 4

-- title: only one side changes, and the other has another name and type
CREATE TABLE a (x INT);
CREATE TABLE b (big BIGINT);
INSERT INTO a VALUES (1), (2);
INSERT INTO b VALUES (2), (5000000000);
-- stream: incremental
SELECT x FROM a INTERSECT SELECT big FROM b;
-- answer: 2
-- change: the right side only
INSERT INTO b VALUES (1);
-- expect: + 1
-- change: the left side only
DELETE FROM a WHERE x = 2;
-- expect: - 2

-- title: INTERSECT of a table with itself
CREATE TABLE a (id INT, x INT);
INSERT INTO a VALUES (1, 5), (2, 7);
-- stream: incremental
SELECT x FROM a WHERE id < 3 INTERSECT SELECT x FROM a WHERE x > 5;
-- answer: 7
-- change: both conditions flip
UPDATE a SET id = CASE WHEN id = 2 THEN 9 ELSE 1 END, x = 8;
-- answer: 8
-- change: the copy that passes the first goes
DELETE FROM a WHERE id = 1;
-- answer: nothing
