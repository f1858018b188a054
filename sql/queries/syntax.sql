-- title: counts of different rows without NULL
-- lane: spark DuckDB counts rows by a star alone
CREATE TABLE a (g STRING, v INT);
INSERT INTO a VALUES ('p', 1), ('p', 1), ('p', NULL), ('q', 2);
-- stream: incremental
SELECT COUNT(DISTINCT *) AS d, COUNT(*) AS rows FROM a;
-- answer: 2, 4
-- change: a copy goes, a NULL is filled
UPDATE a SET v = 3 WHERE v IS NULL;
DELETE FROM a WHERE g = 'q';
-- answer: 2, 3

-- title: stars inside calls
-- lane: spark its functions of that name are its own
CREATE TABLE a (x INT, y INT);
CREATE TABLE b (x INT, z STRING);
INSERT INTO a VALUES (1, 2), (NULL, 3), (1, 2);
INSERT INTO b VALUES (1, 'p'), (2, NULL);
-- stream: incremental
SELECT coalesce(a.*) AS c, to_json(struct(*)) AS j, size(array(a.*)) AS n FROM a LEFT JOIN b ON a.x = b.x WHERE 2 IN (a.*);
-- change: both
UPDATE a SET y = 7 WHERE x IS NULL;
UPDATE b SET z = 'q' WHERE x = 1;
INSERT INTO a VALUES (2, NULL);

-- title: a table as a query
-- lane: spark its syntax is its own
CREATE TABLE a (id INT);
CREATE TABLE b (id INT);
INSERT INTO a VALUES (1), (2);
INSERT INTO b VALUES (2);
-- stream: incremental
TABLE a EXCEPT TABLE b;
-- answer: 1
-- change: both
INSERT INTO a VALUES (3);
UPDATE b SET id = 1;
-- answer: 2 | 3

-- title: LEFT JOIN LATERAL of a generator, with and without ON
-- lane: spark its syntax is its own
CREATE TABLE p (id INT, tags ARRAY<STRING>);
INSERT INTO p VALUES (1, array('a', 'b')), (2, array()), (3, NULL);
-- stream: incremental
SELECT p.id, x.t, y.t AS u FROM p LEFT JOIN LATERAL explode(tags) AS x(t) ON TRUE LEFT JOIN LATERAL explode(tags) AS y(t);
-- change: one gets some, one loses all
UPDATE p SET tags = array('c') WHERE id = 2;
UPDATE p SET tags = array() WHERE id = 1;
