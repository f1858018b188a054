-- title: trap D3: a right row goes and shows a left row nobody touched
CREATE TABLE a (x INT);
CREATE TABLE b (x INT);
INSERT INTO a VALUES (1);
INSERT INTO b VALUES (1);
-- stream: incremental
SELECT x FROM a EXCEPT SELECT x FROM b;
-- answer: nothing
-- change: it goes
DELETE FROM b;
-- answer: 1

-- title: trap D6: set operations take NULLs for equal
CREATE TABLE a (x INT);
CREATE TABLE b (x INT);
INSERT INTO a VALUES (NULL);
INSERT INTO b VALUES (2);
-- stream: incremental
SELECT x FROM a EXCEPT SELECT x FROM b;
-- answer: NULL
-- change: NULL on the right
INSERT INTO b VALUES (NULL);
-- answer: nothing

-- title: copies do not count on either side
CREATE TABLE a (id INT, x STRING);
CREATE TABLE b (id INT, x STRING);
INSERT INTO a VALUES (1, 'r'), (2, 'r');
-- stream: incremental
SELECT x FROM a EXCEPT SELECT x FROM b;
-- answer: 'r'
-- change: two on the right, one less on the left
INSERT INTO b VALUES (1, 'r'), (2, 'r');
DELETE FROM a WHERE id = 1;
-- expect: - 'r'
-- change: one on the right goes
DELETE FROM b WHERE id = 1;
-- expect: nothing
-- change: the other goes, and so does the left
DELETE FROM b;
DELETE FROM a;
-- expect: nothing
-- change: it comes on both sides at once
INSERT INTO a VALUES (1, 'r');
INSERT INTO b VALUES (1, 'r');
-- expect: nothing
-- change: the right moves away
UPDATE b SET x = 's';
-- expect: + 'r'

-- title: MINUS is EXCEPT
CREATE TABLE a (x INT, y INT);
CREATE TABLE b (p INT, q INT);
INSERT INTO a VALUES (1, 1), (1, 1), (2, NULL);
-- stream: incremental
SELECT x, y FROM a MINUS SELECT p, q FROM b;
-- answer: 1, 1 | 2, NULL
-- change: on the right
INSERT INTO b VALUES (2, NULL), (1, 2);
-- expect: - 2, NULL

-- title: a table less a part of itself
CREATE TABLE a (id INT, x INT);
INSERT INTO a VALUES (1, 5), (2, 5), (3, 6);
-- stream: incremental
SELECT x FROM a EXCEPT SELECT x FROM a WHERE id > 2;
-- answer: 5
-- change: a copy crosses the line
UPDATE a SET id = 4 WHERE id = 2;
-- expect: - 5
-- change: and back, while the other crosses
UPDATE a SET id = 2 WHERE id = 4;
UPDATE a SET id = 0 WHERE id = 3;
-- expect: + 5 | 6

-- title: nested on both sides
CREATE TABLE a (x INT);
CREATE TABLE b (x INT);
CREATE TABLE c (x INT);
INSERT INTO a VALUES (1), (2), (3);
INSERT INTO b VALUES (2), (3);
INSERT INTO c VALUES (3);
-- stream: incremental
SELECT x FROM a EXCEPT (SELECT x FROM b EXCEPT SELECT x FROM c);
-- answer: 1 | 3
-- change: c takes 2 back and gives 3 up
DELETE FROM c;
INSERT INTO c VALUES (2), (2);
-- answer: 1 | 2
-- change: all three
INSERT INTO b VALUES (1);
DELETE FROM a WHERE x = 2;
INSERT INTO c VALUES (1), (3);
-- answer: 1 | 3
