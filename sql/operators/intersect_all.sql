-- title: trap D5: the smaller count rises without a new row
CREATE TABLE a (x INT);
CREATE TABLE b (x INT);
INSERT INTO a VALUES (1), (1), (1);
INSERT INTO b VALUES (1);
-- stream: incremental
SELECT x FROM a INTERSECT ALL SELECT x FROM b;
-- answer: 1
-- change: a second copy on the right
INSERT INTO b VALUES (1);
-- expect: + 1
-- answer: 1 | 1
-- change: beyond the left
INSERT INTO b VALUES (1), (1), (1);
-- expect: + 1
-- change: the left falls below
DELETE FROM a;
INSERT INTO a VALUES (1);
-- expect: - 1 | 1
-- change: the right goes
DELETE FROM b;
-- answer: nothing

-- title: both sides change at once, NULLs among them
CREATE TABLE a (id INT, x INT);
CREATE TABLE b (id INT, x INT);
INSERT INTO a VALUES (1, NULL), (2, NULL), (3, 7);
INSERT INTO b VALUES (1, NULL), (2, 7), (3, 7);
-- stream: incremental
SELECT x FROM a INTERSECT ALL SELECT x FROM b;
-- answer: NULL | 7
-- change: one more NULL there, one less here
INSERT INTO b VALUES (4, NULL);
DELETE FROM a WHERE id = 1;
-- expect: nothing
-- change: 7 becomes NULL on both sides
UPDATE a SET x = NULL WHERE x = 7;
UPDATE b SET x = NULL WHERE x = 7;
-- answer: NULL | NULL

-- title: empty sides
CREATE TABLE a (x INT);
CREATE TABLE b (x INT);
-- stream: incremental
SELECT x FROM a INTERSECT ALL SELECT x FROM b;
-- change: one side only
INSERT INTO a VALUES (1), (1);
-- expect: nothing
-- change: the other
INSERT INTO b VALUES (1), (1), (1), (2);
-- expect: + 1 | 1

-- title: INTERSECT ALL binds tighter than UNION ALL and EXCEPT ALL
CREATE TABLE a (x INT);
CREATE TABLE b (x INT);
CREATE TABLE c (x INT);
INSERT INTO a VALUES (1), (2);
INSERT INTO b VALUES (1), (1), (2);
INSERT INTO c VALUES (1), (2), (2);
-- stream: incremental
SELECT x FROM a UNION ALL SELECT x FROM b INTERSECT ALL SELECT x FROM c EXCEPT ALL SELECT x FROM a WHERE x = 2;
-- answer: 1 | 1 | 2
-- change: all change
INSERT INTO a VALUES (2);
INSERT INTO c VALUES (1);
DELETE FROM b WHERE x = 2;
-- answer: 1 | 1 | 1
