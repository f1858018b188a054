-- title: structs and arrays as keys
CREATE TABLE a (id INT, s STRUCT<x: INT, y: STRING>, l ARRAY<INT>);
CREATE TABLE b (id INT, s STRUCT<x: INT, y: STRING>, l ARRAY<INT>);
INSERT INTO a VALUES (1, STRUCT(1, 'p'), ARRAY(1, NULL)), (2, STRUCT(1, 'p'), ARRAY(1, NULL)), (3, STRUCT(NULL, 'p'), NULL), (4, NULL, ARRAY());
INSERT INTO b VALUES (1, STRUCT(1, 'p'), ARRAY(1, NULL)), (2, NULL, ARRAY());
-- lane: spark its structs and NULLs inside arrays are its own
-- stream: incremental
SELECT g.s, g.l, n, b.id FROM (SELECT s, l, COUNT(*) AS n, MAX(id) AS last FROM a GROUP BY s, l) g LEFT JOIN b ON b.s = g.s AND b.l <=> g.l
UNION ALL (SELECT s, l, NULL, NULL FROM a INTERSECT SELECT s, l, NULL, NULL FROM b);
-- change: a copy goes on one side, a key gets a NULL inside on the other
DELETE FROM a WHERE id = 2;
INSERT INTO a VALUES (5, STRUCT(NULL, 'p'), NULL), (6, NULL, ARRAY());
UPDATE b SET s = NAMED_STRUCT('x', CAST(NULL AS INT), 'y', 'p'), l = NULL WHERE id = 1;
-- change: the last of a key goes
DELETE FROM a WHERE id IN (1, 4, 6);
DELETE FROM b WHERE id = 2;

-- title: maps that the answer shows
CREATE TABLE a (id INT, m MAP<STRING, INT>);
INSERT INTO a VALUES (1, MAP('a', 1, 'b', 2)), (1, MAP('a', 1, 'b', 2)), (2, MAP()), (3, NULL);
-- lane: spark its maps are its own
-- stream: full INCOMPARABLE
SELECT id, m, m['a'] AS v FROM a WHERE id < 9;
-- change: one of two equal rows goes, a map changes
DELETE FROM a WHERE id = 3;
UPDATE a SET m = MAP('a', 5) WHERE id = 2;
-- change: both copies go
DELETE FROM a WHERE id = 1;

-- title: groups of maps
CREATE TABLE a (id INT, m MAP<STRING, INT>);
INSERT INTO a VALUES (1, MAP('a', 1, 'b', 2)), (2, MAP('b', 2, 'a', 1)), (3, MAP());
-- lane: spark its maps are its own
-- stream: full INCOMPARABLE
SELECT SIZE(m) AS pairs, n, last FROM (SELECT m, COUNT(*) AS n, MAX(id) AS last FROM a GROUP BY m);
-- change: written in the other order it is the same map
DELETE FROM a WHERE id = 1;
INSERT INTO a VALUES (4, MAP()), (5, MAP('a', 1, 'b', 2)), (6, NULL);
-- change: a group goes
DELETE FROM a WHERE id IN (3, 4);

-- title: what is read of maps, and maps that groups show
CREATE TABLE a (id INT, m MAP<STRING, INT>);
INSERT INTO a VALUES (1, MAP('a', 1, 'b', 2)), (1, MAP('a', 1)), (2, MAP()), (3, NULL);
-- lane: spark its maps are its own
-- stream: incremental
SELECT id, MAX_BY(m, SIZE(m)) AS largest, SUM(m['a']) AS v, COUNT(m) AS n FROM a WHERE m['a'] IS NULL OR m['a'] < 9 GROUP BY id;
-- change: a larger map comes, a map changes
INSERT INTO a VALUES (1, MAP('a', 1, 'b', 3, 'c', 0)), (4, MAP('a', 9));
UPDATE a SET m = MAP('a', 5) WHERE id = 2;
-- change: the largest goes
DELETE FROM a WHERE SIZE(m) = 3;
DELETE FROM a WHERE id = 3;

-- title: variants
CREATE TABLE a (id INT, v VARIANT);
INSERT INTO a SELECT 1, PARSE_JSON('{"k": 1}') UNION ALL SELECT 1, PARSE_JSON('{"k": 1}') UNION ALL SELECT 2, NULL UNION ALL SELECT 3, PARSE_JSON('[1, null]');
-- lane: spark its variants are its own
-- stream: full INCOMPARABLE
SELECT id, v, VARIANT_GET(v, '$.k', 'int') AS k FROM a WHERE id < 9;
-- change: a row goes, another changes
DELETE FROM a WHERE id = 3;
UPDATE a SET v = PARSE_JSON('{"k": 7}') WHERE id = 2;
-- change: both copies go
DELETE FROM a WHERE id = 1;

-- title: texts that a collation takes for equal
CREATE TABLE a (id INT, s STRING);
CREATE TABLE b (id INT, s STRING);
INSERT INTO a VALUES (1, 'x'), (2, 'X'), (3, 'y'), (4, NULL);
INSERT INTO b VALUES (1, 'X'), (2, 'z');
-- lane: spark its collations are its own
-- stream: incremental
SELECT LOWER(CAST(g.s AS STRING)) AS s, g.n, b.id FROM (SELECT s COLLATE UTF8_LCASE AS s, COUNT(*) AS n FROM a GROUP BY s COLLATE UTF8_LCASE) g LEFT JOIN b ON b.s COLLATE UTF8_LCASE = g.s
UNION ALL SELECT LOWER(CAST(s AS STRING)), NULL, NULL FROM (SELECT s COLLATE UTF8_LCASE AS s FROM a EXCEPT SELECT s COLLATE UTF8_LCASE FROM b)
UNION ALL SELECT LOWER(CAST(s AS STRING)), NULL, -1 FROM (SELECT DISTINCT s COLLATE UTF8_LCASE AS s FROM a);
-- change: one spelling goes, the other stays
DELETE FROM a WHERE id = 1;
INSERT INTO b VALUES (3, 'Y');
-- change: a spelling becomes another
UPDATE a SET s = 'Y' WHERE id = 3;
DELETE FROM b WHERE s = 'X';
INSERT INTO a VALUES (5, 'Z'), (6, 'z');
-- change: the last of a text goes
DELETE FROM a WHERE LOWER(s) = 'z' OR s IS NULL;

-- title: CHAR pads, VARCHAR does not
CREATE TABLE a (id INT, c CHAR(4), v VARCHAR(8));
CREATE TABLE b (id INT, c CHAR(6));
INSERT INTO a VALUES (1, 'x', 'x'), (2, 'x   ', 'x '), (3, 'y', NULL);
INSERT INTO b VALUES (1, 'x'), (2, 'y');
-- lane: spark DuckDB does not pad
-- stream: incremental
SELECT a.c, a.v, COUNT(*) AS n, COUNT(b.id) AS met FROM a LEFT JOIN b ON b.c = a.c GROUP BY a.c, a.v;
-- change: a length changes by blanks alone
UPDATE a SET v = 'x' WHERE id = 2;
DELETE FROM b WHERE c = 'y';
-- change: a key goes
DELETE FROM a WHERE c = 'x';
INSERT INTO b VALUES (3, 'y   ');

-- title: decimals of other scales are equal where their values are
CREATE TABLE a (id INT, d DECIMAL(10, 2));
CREATE TABLE b (id INT, d DECIMAL(20, 6));
INSERT INTO a VALUES (1, 1.10), (2, 1.10), (3, 2.00), (4, NULL);
INSERT INTO b VALUES (1, 1.100000), (2, 2.000001), (3, NULL);
-- stream: incremental
SELECT a.d, b.d AS other, COUNT(*) AS n FROM a FULL JOIN b ON a.d = b.d GROUP BY a.d, b.d
UNION ALL (SELECT d, NULL, -1 FROM a EXCEPT ALL SELECT d, NULL, -1 FROM b)
UNION ALL (SELECT d, NULL, -2 FROM b INTERSECT SELECT d, NULL, -2 FROM a);
-- change: a last digit decides
UPDATE b SET d = 2 WHERE id = 2;
DELETE FROM a WHERE id = 1;
-- change: copies on both sides
INSERT INTO b VALUES (4, 1.1), (5, 1.1);
INSERT INTO a VALUES (5, 1.1), (6, NULL);

-- title: moments with a zone and without
CREATE TABLE a (id INT, at TIMESTAMP, local TIMESTAMP_NTZ);
CREATE TABLE b (id INT, at TIMESTAMP, local TIMESTAMP_NTZ);
INSERT INTO a VALUES (1, TIMESTAMP '2026-03-29 01:00:00 Europe/Berlin', TIMESTAMP_NTZ '2026-03-29 02:30:00'), (2, TIMESTAMP '2026-03-29 00:00:00 UTC', NULL), (3, NULL, NULL);
INSERT INTO b VALUES (1, TIMESTAMP '2026-03-29 00:00:00 UTC', TIMESTAMP_NTZ '2026-03-29 02:30:00.000001');
-- lane: spark moments with the names of zones are its own
-- stream: incremental
SELECT a.at, a.local, COUNT(b.id) AS met FROM a LEFT JOIN b ON b.at = a.at GROUP BY a.at, a.local
UNION ALL (SELECT at, local, -1 FROM a INTERSECT SELECT at, local, -1 FROM b)
UNION ALL SELECT DISTINCT CAST(local AS TIMESTAMP), local, -2 FROM a;
-- change: the same moment in another zone, a microsecond less
UPDATE b SET local = TIMESTAMP_NTZ '2026-03-29 02:30:00';
INSERT INTO a VALUES (4, TIMESTAMP '2026-03-28 23:00:00 UTC', TIMESTAMP_NTZ '2026-03-29 02:30:00');
UPDATE b SET at = TIMESTAMP '2026-03-28 19:00:00 -04:00';
-- change: moments go
DELETE FROM a WHERE id IN (1, 3);

-- title: spans of time as keys and extremes that are not shown
CREATE TABLE a (id INT, since TIMESTAMP, until TIMESTAMP);
INSERT INTO a VALUES (1, TIMESTAMP '2026-01-01', TIMESTAMP '2026-01-02'), (2, TIMESTAMP '2026-02-01', TIMESTAMP '2026-02-02'), (3, NULL, NULL);
-- lane: spark spans have another type in DuckDB
-- stream: incremental
SELECT CAST(span AS STRING) AS span, n, CAST(longest AS STRING) AS longest FROM (SELECT until - since AS span, COUNT(*) AS n, MAX(until - since) AS longest FROM a GROUP BY until - since)
UNION ALL SELECT CAST(span AS STRING), -1, NULL FROM (SELECT DISTINCT until - since AS span FROM a);
-- change: one of two equal spans ends later
UPDATE a SET until = TIMESTAMP '2026-02-02 00:00:01' WHERE id = 2;
-- change: a span goes
DELETE FROM a WHERE id IN (1, 3);

-- title: bytes as keys
CREATE TABLE a (id INT, k BINARY);
CREATE TABLE b (id INT, k BINARY);
INSERT INTO a VALUES (1, X'00'), (2, X'0000'), (3, X''), (4, NULL), (5, X'00');
INSERT INTO b VALUES (1, X'00'), (2, X''), (3, X'FF');
-- lane: spark its literals of bytes are its own
-- stream: incremental
SELECT g.k, g.n, b.id FROM (SELECT k, COUNT(*) AS n FROM a GROUP BY k) g FULL JOIN b ON b.k = g.k
UNION ALL (SELECT k, -1, NULL FROM a EXCEPT SELECT k, -1, NULL FROM b);
-- change: a zero more makes another key
UPDATE a SET k = X'0000' WHERE id = 1;
UPDATE b SET k = X'0000' WHERE id = 2;
-- change: keys go
DELETE FROM a WHERE k = X'0000' OR k IS NULL;

-- title: what Spark cannot compare cannot be told apart
CREATE TABLE a (id INT, m MAP<STRING, INT>);
-- lane: spark its maps are its own
-- stream: refused InvalidQuery
SELECT DISTINCT m FROM a;

-- title: nor can variants be grouped
CREATE TABLE a (id INT, v VARIANT);
-- lane: spark its variants are its own
-- stream: refused InvalidQuery
SELECT v, COUNT(*) AS n FROM a GROUP BY v;
