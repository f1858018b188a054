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

-- title: NOT IN a subquery in ON of an outer join
CREATE TABLE a (id INT);
CREATE TABLE b (id INT, v INT);
CREATE TABLE c (v INT);
INSERT INTO a VALUES (1), (2);
INSERT INTO b VALUES (1, 5), (2, 6);
INSERT INTO c VALUES (5);
-- stream: full SUBQUERY
SELECT a.id, b.v FROM a LEFT JOIN b ON a.id = b.id AND b.v NOT IN (SELECT v FROM c);
-- answer: 1, NULL | 2, 6
-- change: the other one is out
UPDATE c SET v = 6;
-- answer: 1, 5 | 2, NULL
