-- title: a LIMIT that only Spark can compute
-- lane: spark its function of that name is its own
CREATE TABLE a (id INT);
INSERT INTO a VALUES (1), (2), (3);
-- stream: full LIMIT
SELECT id FROM a ORDER BY id LIMIT length('xy');
-- answer: 1 | 2
-- change: another first
INSERT INTO a VALUES (0);
-- answer: 0 | 1

-- title: a subquery in ON of an outer join that reads both sides
-- lane: spark DuckDB does not run it
CREATE TABLE a (id INT);
CREATE TABLE b (id INT, v INT);
CREATE TABLE c (id INT, v INT);
INSERT INTO a VALUES (1), (2);
INSERT INTO b VALUES (1, 5), (2, 1);
INSERT INTO c VALUES (1, 5);
-- stream: full SUBQUERY
SELECT a.id, b.v FROM a LEFT JOIN b ON a.id = b.id AND EXISTS (SELECT 1 FROM c WHERE c.id = a.id AND c.v = b.v);
-- answer: 1, 5 | 2, NULL
-- change: both
INSERT INTO c VALUES (2, 1);
DELETE FROM b WHERE id = 1;
-- answer: 1, NULL | 2, 1
