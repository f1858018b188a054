-- title: inserts, deletes and updates of a table as it is
CREATE TABLE t (id INT, v STRING);
INSERT INTO t VALUES (1, 'a'), (2, NULL);
-- stream: incremental
SELECT * FROM t;
-- change: a row comes
INSERT INTO t VALUES (3, 'c');
-- expect: + 3, 'c'
-- change: a row changes, another goes
UPDATE t SET v = 'b' WHERE id = 2;
DELETE FROM t WHERE id = 1;
-- expect: - 2, NULL | 1, 'a'
-- expect: + 2, 'b'
-- answer: 2, 'b' | 3, 'c'

-- title: an empty table fills and empties
CREATE TABLE t (id INT, v STRING);
-- stream: incremental
SELECT id, v FROM t;
-- answer: nothing
-- change: first rows
INSERT INTO t VALUES (1, 'a'), (NULL, NULL);
-- answer: 1, 'a' | NULL, NULL
-- change: all rows go
DELETE FROM t;
-- answer: nothing

-- title: trap D9: one of three equal rows is deleted
CREATE TABLE a (seq INT, x INT);
INSERT INTO a VALUES (1, 5), (2, 5), (3, 5);
-- stream: incremental
SELECT x FROM a;
-- answer: 5 | 5 | 5
-- change: one copy goes
DELETE FROM a WHERE seq = 2;
-- expect: - 5
-- answer: 5 | 5

-- title: copies go from none to one, two, one, none, and by more than one
CREATE TABLE a (seq INT, x STRING);
-- stream: incremental
SELECT x FROM a;
-- change: none to one
INSERT INTO a VALUES (1, 'r');
-- expect: + 'r'
-- change: one to two
INSERT INTO a VALUES (2, 'r');
-- expect: + 'r'
-- change: two to one
DELETE FROM a WHERE seq = 1;
-- expect: - 'r'
-- change: one to none
DELETE FROM a;
-- expect: - 'r'
-- change: none to three
INSERT INTO a VALUES (1, 'r'), (2, 'r'), (3, 'r');
-- expect: + 'r' | 'r' | 'r'
-- change: three to one
DELETE FROM a WHERE seq < 3;
-- expect: - 'r' | 'r'

-- title: trap F1: insert and delete of one row in one refresh
CREATE TABLE a (id INT, v INT);
INSERT INTO a VALUES (9, 9);
-- stream: incremental
SELECT id, v FROM a;
-- change: there and gone
INSERT INTO a VALUES (1, 1);
DELETE FROM a WHERE id = 1;
-- expect: nothing
-- answer: 9, 9

-- title: trap F2: several updates of one row in one refresh
CREATE TABLE a (id INT, v INT);
INSERT INTO a VALUES (1, 1);
-- stream: incremental
SELECT id, v FROM a;
-- change: three updates
UPDATE a SET v = 2;
UPDATE a SET v = 3;
UPDATE a SET id = 5 WHERE id = 1;
-- expect: - 1, 1
-- expect: + 5, 3
-- answer: 5, 3

-- title: trap F3: delete and insert of an equal row
CREATE TABLE a (id INT, v INT);
INSERT INTO a VALUES (1, 1);
-- stream: incremental
SELECT id, v FROM a;
-- change: out and in again
DELETE FROM a;
INSERT INTO a VALUES (1, 1);
-- expect: nothing
-- answer: 1, 1

-- title: trap F4: all rows deleted, then others inserted
CREATE TABLE a (id INT, v INT);
INSERT INTO a VALUES (1, 1), (2, 2);
-- stream: incremental
SELECT id, v FROM a;
-- change: emptied and filled
DELETE FROM a;
INSERT INTO a VALUES (3, 3);
-- answer: 3, 3

-- title: an update that changes nothing, and one that comes back
CREATE TABLE a (id INT, v INT);
INSERT INTO a VALUES (1, 1), (2, NULL);
-- stream: incremental
SELECT id, v FROM a;
-- change: the same values again
UPDATE a SET v = v;
-- expect: nothing
-- change: there and back
UPDATE a SET v = 7 WHERE id = 1;
UPDATE a SET v = 1 WHERE id = 1;
-- expect: nothing

-- title: two rows swap their keys
CREATE TABLE a (id INT, v STRING);
INSERT INTO a VALUES (1, 'x'), (2, 'y');
-- stream: incremental
SELECT id, v FROM a;
-- change: in one statement
UPDATE a SET id = 3 - id;
-- expect: - 1, 'x' | 2, 'y'
-- expect: + 2, 'x' | 1, 'y'

-- title: a change of columns that the query does not read is no change
CREATE TABLE a (id INT, v STRING, note STRING);
INSERT INTO a VALUES (1, 'x', 'n');
-- stream: incremental
SELECT id, v FROM a;
-- change: the note only
UPDATE a SET note = 'changed';
-- expect: nothing

-- title: numbers, text, dates and bytes
CREATE TABLE a (i INT, big BIGINT, d DECIMAL(12,3), f DOUBLE, b BOOLEAN, s STRING, day DATE, bin BINARY);
INSERT INTO a VALUES (1, 5000000000, 1.125, 0.1, TRUE, '', DATE '2024-02-29', X'00FF');
INSERT INTO a VALUES (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
-- stream: incremental
SELECT * FROM a;
-- change: the row of NULLs goes, another comes twice
DELETE FROM a WHERE i IS NULL;
INSERT INTO a VALUES (2, -1, -0.001, -0.5, FALSE, 'ü', DATE '1969-12-31', X'');
INSERT INTO a VALUES (2, -1, -0.001, -0.5, FALSE, 'ü', DATE '1969-12-31', X'');
-- change: one value of one row
UPDATE a SET d = 2.000 WHERE i = 1;

-- title: NaN, infinity and zero with a sign
CREATE TABLE a (id INT, f DOUBLE);
INSERT INTO a VALUES (1, CAST('NaN' AS DOUBLE)), (2, CAST('Infinity' AS DOUBLE)), (3, -0.0), (4, 1.5);
-- stream: incremental
SELECT f FROM a;
-- change: NaN doubles, infinity goes, zero changes its sign
INSERT INTO a VALUES (5, CAST('NaN' AS DOUBLE));
DELETE FROM a WHERE id = 2;
UPDATE a SET f = 0.0 WHERE id = 3;
-- change: one NaN goes
DELETE FROM a WHERE id = 1;

-- title: strings that differ in case, blanks and quotes only
CREATE TABLE a (s STRING);
INSERT INTO a VALUES ('a'), ('A'), ('a '), (''), (' '), ("it's"), ('say "x"'), ('back\\slash'), ('50%');
-- stream: incremental
SELECT s FROM a;
-- change: some go
DELETE FROM a WHERE s IN ('A', 'a ', "it's", 'back\\slash');
-- answer: 'a' | '' | ' ' | 'say "x"' | '50%'
-- change: some come back
INSERT INTO a VALUES ("it's"), ('back\\slash'), ('line\nbreak');

-- title: arrays and structs
-- lane: spark their literals and functions differ
CREATE TABLE a (id INT, l ARRAY<INT>, s STRUCT<x: INT, y: STRING>);
INSERT INTO a VALUES (1, array(1, NULL), named_struct('x', 1, 'y', 'a')), (2, NULL, NULL);
-- stream: incremental
SELECT l, s, s.x FROM a;
-- change: an element and a field
UPDATE a SET l = array(1, 2), s = named_struct('x', 1, 'y', NULL) WHERE id = 1;
-- change: the row without them goes, the other doubles
DELETE FROM a WHERE id = 2;
INSERT INTO a SELECT 3, l, s FROM a WHERE id = 1;
-- change: one copy goes
DELETE FROM a WHERE id = 3;

-- title: moments, with a zone and without
-- lane: spark its sessions decide what a moment without a zone is
CREATE TABLE a (at TIMESTAMP, local TIMESTAMP_NTZ, k TIMESTAMP);
INSERT INTO a VALUES (TIMESTAMP '2024-02-29 12:00:00.123456', TIMESTAMP_NTZ '2024-03-31 02:30:00', NULL), (NULL, NULL, NULL);
-- stream: incremental
SELECT a.at, a.local, b.k FROM a JOIN a b ON a.at <=> b.at;
-- change: a moment moves, two equal ones come
UPDATE a SET at = TIMESTAMP '1969-12-31 23:59:59.999999', k = at WHERE at IS NOT NULL;
INSERT INTO a VALUES (TIMESTAMP '0002-01-01 00:00:00', TIMESTAMP_NTZ '9999-12-31 23:59:59', NULL);
INSERT INTO a VALUES (TIMESTAMP '0002-01-01 00:00:00', TIMESTAMP_NTZ '9999-12-31 23:59:59', NULL);
-- change: one of them goes
DELETE FROM a WHERE at < TIMESTAMP '1900-01-01 00:00:00';

-- title: functions whose first argument is a unit
-- lane: spark its functions of that name are its own
CREATE TABLE a (id INT, day DATE, t TIMESTAMP);
INSERT INTO a VALUES (1, DATE '2026-01-31', TIMESTAMP '2026-02-01 03:00:00'), (2, NULL, NULL);
-- stream: incremental
SELECT id, dateadd(MONTH, 1, day) AS next, datediff(HOUR, day, t) AS hours, timestampadd(DAY, id, t) AS later, datediff(t, day) AS days FROM a;
-- change: both
UPDATE a SET day = DATE '2026-03-31', t = TIMESTAMP '2026-04-01 00:00:00';
