-- title: a LIMIT that is computed
CREATE TABLE a (id INT);
INSERT INTO a VALUES (1), (2), (3);
-- stream: full LIMIT
SELECT id FROM a ORDER BY id LIMIT 1 + 1;
-- answer: 1 | 2
-- change: another first
INSERT INTO a VALUES (0);
-- answer: 0 | 1

-- title: a subquery in ON of an outer join
CREATE TABLE a (id INT);
CREATE TABLE b (id INT, v INT);
CREATE TABLE c (least INT);
INSERT INTO a VALUES (1), (2);
INSERT INTO b VALUES (1, 5), (2, 1);
INSERT INTO c VALUES (3);
-- stream: full SUBQUERY
SELECT a.id, b.v FROM a LEFT JOIN b ON a.id = b.id AND b.v > (SELECT MAX(least) FROM c);
-- answer: 1, 5 | 2, NULL
-- change: both
UPDATE c SET least = 0;
DELETE FROM b WHERE id = 1;
-- answer: 1, NULL | 2, 1
