-- title: groups by a struct, met by a join that reads what the change touched
-- lane: spark DuckDB has no named_struct()
CREATE TABLE a (id INT, x INT, y STRING);
CREATE TABLE b (id INT, x INT, v INT);
INSERT INTO a VALUES (1, 1, 'p'), (2, 1, 'p'), (3, 2, 'q'), (4, NULL, 'q');
INSERT INTO b VALUES (1, 1, 10), (2, 2, 20);
-- stream: incremental
SELECT s.x AS x, s.y AS y, n, total FROM
  (SELECT named_struct('x', x, 'y', y) AS s, COUNT(*) AS n FROM a GROUP BY named_struct('x', x, 'y', y))
  LEFT JOIN (SELECT x AS key, SUM(v) AS total FROM b GROUP BY x) ON key = s.x;
-- answer: 1, 'p', 2, 10 | 2, 'q', 1, 20 | NULL, 'q', 1, NULL
-- change: a group grows, another comes, and its other side too
INSERT INTO a VALUES (5, 1, 'p'), (6, 3, 'r');
INSERT INTO b VALUES (3, 3, 30);
-- answer: 1, 'p', 3, 10 | 2, 'q', 1, 20 | 3, 'r', 1, 30 | NULL, 'q', 1, NULL
-- change: a group goes, and what another met
DELETE FROM a WHERE id = 3;
DELETE FROM b WHERE x = 1;
-- answer: 1, 'p', 3, NULL | 3, 'r', 1, 30 | NULL, 'q', 1, NULL
