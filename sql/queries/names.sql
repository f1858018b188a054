-- title: columns named with backticks, words of SQL, dots and quotes
CREATE TABLE t (`we``ird` INT, `select` STRING, `a.b` INT, `"; DROP TABLE t; --` STRING, `größe` INT);
INSERT INTO t VALUES (1, 'a', 2, 'x', 3), (NULL, NULL, NULL, NULL, NULL);
-- stream: incremental
SELECT `we``ird`, t.`select`, `a.b` AS `x.y`, `"; DROP TABLE t; --`, `größe` AS `Ω`, `größe` AS `_weight` FROM t WHERE `a.b` > 0 OR `we``ird` IS NULL;
-- change: both rows
DELETE FROM t;
INSERT INTO t VALUES (1, 'a', 5, 'x', -1);
-- answer: 1, 'a', 5, 'x', -1, -1

-- title: such columns as keys of joins, groups and sets
CREATE TABLE t (`order by` STRING, `a.b` INT);
CREATE TABLE u (`a.b` INT, `FROM` STRING);
INSERT INTO t VALUES ('p', 1), ('q', 2);
INSERT INTO u VALUES (1, 'one');
-- stream: incremental
SELECT t.`order by` AS `group`, COUNT(*) AS `count(*)`, MAX(u.`FROM`) AS `1`
FROM t JOIN u ON t.`a.b` = u.`a.b` GROUP BY t.`order by`
EXCEPT SELECT `order by`, 1, 'none' FROM t;
-- answer: 'p', 1, 'one'
-- change: both
INSERT INTO u VALUES (2, 'none'), (1, 'two');
INSERT INTO t VALUES ('q', 1);
-- answer: 'p', 2, 'two' | 'q', 3, 'two'

-- title: aliases that are columns of the input, in other places
CREATE TABLE t (a INT, b INT);
INSERT INTO t VALUES (1, 2), (3, 4);
-- stream: incremental
SELECT b AS a, a AS b FROM t WHERE a < 3 UNION ALL SELECT a AS b, a + b AS a FROM (SELECT b AS a, a AS b FROM t) t;
-- answer: 2, 1 | 2, 3 | 4, 7
-- change: both rows
UPDATE t SET a = b, b = a;
-- answer: 1, 2 | 1, 3 | 3, 7

-- title: names in any case, tables and aliases in any case
CREATE TABLE Mixed (Id INT, vAlue STRING);
INSERT INTO Mixed VALUES (1, 'a');
-- stream: incremental
select M.ID, mixed.VALUE from MIXED m join mIxEd ON m.id = mixed.iD where M.value IS NOT NULL;
-- change: a row
INSERT INTO Mixed VALUES (2, 'b');
-- expect: + 2, 'b'

-- title: comments everywhere, and a semicolon after blanks
CREATE TABLE t (id INT, v STRING);
INSERT INTO t VALUES (1, '-- no comment'), (2, '/* none */');
-- stream: incremental
/* before */ SELECT id, -- the key; with a semicolon
  v /* in FROM other_table; */ FROM t -- the table
WHERE v <> '; DROP TABLE t; --' /* nested /* comment */ */   ;
-- change: text that looks like a comment
INSERT INTO t VALUES (3, '; DROP TABLE t; --'), (4, '/*');
-- expect: + 4, '/*'

-- title: a CTE hides a table of its name, and a later one reads both
CREATE TABLE t (id INT, v INT);
CREATE TABLE u (id INT, v INT);
INSERT INTO t VALUES (1, 10);
INSERT INTO u VALUES (1, 100);
-- stream: incremental
WITH t AS (SELECT id, v + 1 AS v FROM u), w AS (SELECT id, v FROM t) SELECT t.v AS a, w.v AS b FROM t JOIN w ON t.id = w.id;
-- answer: 101, 101
-- change: the hidden table and the one behind
INSERT INTO t VALUES (2, 20);
UPDATE u SET v = 200;
-- answer: 201, 201

-- title: a CTE named like the table that it reads
CREATE TABLE t (id INT, v INT);
INSERT INTO t VALUES (1, 10), (2, -1);
-- stream: incremental
WITH t AS (SELECT id, v FROM t WHERE v > 0) SELECT id FROM t UNION ALL SELECT v FROM t;
-- answer: 1 | 10
-- change: the table
UPDATE t SET v = -v;
-- answer: 2 | 1

-- title: a CTE inside a CTE, and one that nobody reads
CREATE TABLE t (id INT);
CREATE TABLE unread (id INT);
INSERT INTO t VALUES (1);
INSERT INTO unread VALUES (1);
-- stream: incremental
WITH unused AS (SELECT id FROM unread), a AS (WITH b AS (SELECT id + 1 AS id FROM t) SELECT id FROM b) SELECT id FROM a;
-- answer: 2
-- change: both tables
INSERT INTO t VALUES (5);
INSERT INTO unread VALUES (5);
-- answer: 2 | 6
-- change: the one that nobody reads
DELETE FROM unread;
-- expect: nothing

-- title: a table whose name is a word of SQL, and aliases with columns
CREATE TABLE `table` (`column` INT);
CREATE TABLE `2nd` (`column` INT);
INSERT INTO `table` VALUES (1);
-- stream: incremental
SELECT z.q, w.q AS r FROM `table` AS z(q), `2nd` AS w(q);
-- change: both
INSERT INTO `2nd` VALUES (7), (NULL);
INSERT INTO `table` VALUES (2);
-- answer: 1, 7 | 1, NULL | 2, 7 | 2, NULL

-- title: strings with quotes and backslashes as constants
-- lane: spark a doubled quote in a string is its own
CREATE TABLE t (v STRING);
INSERT INTO t VALUES ("it's"), ('a\\b'), ('"');
-- stream: incremental
SELECT v, 'it''s' AS a, "say 'x'" AS b FROM t WHERE v IN ("it's", 'a\\b', '"');
-- change: one more of each
INSERT INTO t SELECT v FROM t;
DELETE FROM t WHERE v = '"';

-- title: a source with a column named like the count of a change
CREATE TABLE t (_weight INT, v STRING);
INSERT INTO t VALUES (1, 'a'), (1, 'a');
-- stream: full RESERVED_NAME
SELECT v, _weight FROM t;
-- change: one of each goes, another comes
UPDATE t SET _weight = -1;
-- answer: 'a', -1 | 'a', -1

-- title: such a column that the query does not read
CREATE TABLE t (_weight INT, v STRING);
INSERT INTO t VALUES (1, 'a'), (2, 'b');
-- stream: incremental
SELECT v, 1 AS _stored FROM t;
-- change: both columns
UPDATE t SET _weight = 0, v = 'c' WHERE v = 'a';
-- answer: 'c', 1 | 'b', 1

-- title: fields of a struct behind the names of joined tables, and all of them by a star
-- lane: spark DuckDB writes structs in its own words
CREATE TABLE t (id INT, addr STRUCT<city: STRING, zip: STRUCT<a: INT, b: INT>>);
CREATE TABLE u (id INT, addr STRUCT<city: STRING, n: INT>, t STRUCT<id: INT>);
INSERT INTO t VALUES (1, named_struct('city', 'Rom', 'zip', named_struct('a', 1, 'b', 2))), (2, NULL);
INSERT INTO u VALUES (1, named_struct('city', 'Bonn', 'n', 1), named_struct('id', 7));
-- stream: incremental
SELECT x.addr.city AS c1, u.addr.city AS c2, u.t.id AS tid, x.addr.zip.b, u.t.*
FROM t x JOIN u ON x.addr.zip.a = u.addr.n
WHERE u.addr.n IN (SELECT t.addr.zip.a FROM t WHERE t.addr.city <> u.addr.city);
-- answer: 'Rom', 'Bonn', 7, 2, 7
-- change: both
UPDATE t SET addr = named_struct('city', 'Ulm', 'zip', named_struct('a', 1, 'b', 5)) WHERE id = 2;
INSERT INTO u VALUES (3, named_struct('city', 'Ulm', 'n', 1), NULL);

-- title: a CTE called by its name in other letters
CREATE TABLE t (id INT, v INT);
INSERT INTO t VALUES (1, 2), (2, NULL);
-- stream: incremental
WITH Recent AS (SELECT id, v FROM t WHERE id > 1), RECENT2 AS (SELECT * FROM recent) SELECT r.id, x.v FROM Recent2 r JOIN RECENT x ON x.id = r.id;
-- change: one more
INSERT INTO t VALUES (3, 4);
