-- title: a query as a pipe
CREATE TABLE sale (id INT, region STRING, amount INT);
CREATE TABLE region (name STRING, boss STRING);
INSERT INTO sale VALUES (1, 'n', 5), (2, 'n', 6), (3, 's', 7), (4, NULL, 8);
INSERT INTO region VALUES ('n', 'ann'), ('s', 'bob');
-- stream: incremental
FROM sale AS s
|> WHERE s.amount > 5
|> JOIN region r ON s.region = r.name
|> AGGREGATE SUM(s.amount) AS total, COUNT(*) AS sales GROUP BY r.boss
|> EXTEND total * 2 AS twice
|> WHERE twice > 10;
-- answer: 'ann', 6, 1, 12 | 'bob', 7, 1, 14
-- change: all
UPDATE sale SET region = 's' WHERE id = 2;
INSERT INTO sale VALUES (5, 'n', 9);
UPDATE region SET boss = 'eve' WHERE name = 's';
-- answer: 'ann', 9, 1, 18 | 'eve', 13, 2, 26

-- title: the first rows of a pipe, and another table's rows
CREATE TABLE a (id INT, v INT);
CREATE TABLE b (id INT, v INT);
INSERT INTO a VALUES (1, 5), (2, 6), (3, 7);
INSERT INTO b VALUES (9, 9);
-- stream: incremental
TABLE a
|> DROP v
|> ORDER BY id DESC
|> LIMIT 2
|> UNION ALL SELECT id FROM b
|> SELECT id + 1 AS next;
-- answer: 4 | 3 | 10
-- change: both
INSERT INTO a VALUES (7, 7);
DELETE FROM b;
-- answer: 8 | 4
