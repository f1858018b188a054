-- title: path(x, y) :- edge(x, y). path(x, y) :- path(x, z), edge(z, y).
CREATE TABLE edge (x STRING, y STRING);
INSERT INTO edge VALUES ('a', 'b'), ('b', 'c'), ('c', 'd');
-- stream: incremental
WITH RECURSIVE path (x, y, hops) AS (
  SELECT x, y, 1 FROM edge
  UNION ALL
  SELECT path.x, edge.y, path.hops + 1 FROM path JOIN edge ON path.y = edge.x WHERE path.hops < 5
)
SELECT DISTINCT x, y FROM path;
-- answer: 'a', 'b' | 'a', 'c' | 'a', 'd' | 'b', 'c' | 'b', 'd' | 'c', 'd'
-- change: a second way to what is reached already
INSERT INTO edge VALUES ('a', 'c');
-- expect: nothing
-- change: the first way goes, the second stays
DELETE FROM edge WHERE x = 'b' AND y = 'c';
-- expect: - 'b', 'c' | 'b', 'd'
-- change: a cycle closes
INSERT INTO edge VALUES ('d', 'a');
-- expect: + 'a', 'a' | 'c', 'c' | 'c', 'a' | 'c', 'b' | 'd', 'd' | 'd', 'a' | 'd', 'b' | 'd', 'c'
-- change: the cycle is cut where nothing from outside holds it up
DELETE FROM edge WHERE x = 'a' AND y = 'c';
-- expect: - 'a', 'a' | 'a', 'c' | 'a', 'd' | 'c', 'c' | 'd', 'd' | 'd', 'c'
-- change: nothing is left
DELETE FROM edge;
-- answer: nothing

-- title: the shortest way: the recursion below an aggregate
CREATE TABLE edge (x STRING, y STRING, cost INT);
INSERT INTO edge VALUES ('a', 'b', 1), ('b', 'c', 1), ('a', 'c', 5);
-- stream: incremental
WITH RECURSIVE way (y, cost, hops) AS (
  SELECT y, cost, 1 FROM edge WHERE x = 'a'
  UNION ALL
  SELECT edge.y, way.cost + edge.cost, way.hops + 1 FROM way JOIN edge ON way.y = edge.x WHERE way.hops < 4
)
SELECT y, MIN(cost) AS cost FROM way GROUP BY y;
-- answer: 'b', 1 | 'c', 2
-- change: the detour becomes dear
UPDATE edge SET cost = 9 WHERE x = 'b';
-- expect: - 'c', 2
-- expect: + 'c', 5
-- change: it is cheap again, and goes on
UPDATE edge SET cost = 2 WHERE x = 'b';
INSERT INTO edge VALUES ('c', 'd', 1), ('d', 'b', 1);
-- expect: - 'c', 5
-- expect: + 'c', 3 | 'd', 4

-- title: unreachable(n) :- node(n), !reached(n).
CREATE TABLE node (id STRING);
CREATE TABLE edge (x STRING, y STRING);
INSERT INTO node VALUES ('a'), ('b'), ('c'), ('d');
INSERT INTO edge VALUES ('a', 'b'), ('c', 'd'), ('d', 'c');
-- stream: incremental
WITH RECURSIVE reached (id, hops) AS (
  SELECT id, 0 FROM node WHERE id = 'a'
  UNION ALL
  SELECT edge.y, reached.hops + 1 FROM reached JOIN edge ON reached.id = edge.x WHERE reached.hops < 5
)
SELECT node.id FROM node LEFT ANTI JOIN reached ON node.id = reached.id;
-- answer: 'c' | 'd'
-- change: an edge takes both in
INSERT INTO edge VALUES ('b', 'c');
-- expect: - 'c' | 'd'
-- change: a node comes that nothing leads to, another edge to what is reached
INSERT INTO node VALUES ('e');
INSERT INTO edge VALUES ('a', 'd');
-- expect: + 'e'
-- change: one of two ways goes
DELETE FROM edge WHERE x = 'b';
-- expect: nothing
-- change: the other goes, and an edge comes from nowhere
DELETE FROM edge WHERE y = 'd' AND x = 'a';
INSERT INTO edge VALUES ('z', 'e');
-- expect: + 'c' | 'd'
-- change: the start goes
DELETE FROM node WHERE id = 'a';
-- expect: + 'b'

-- title: the same with NOT EXISTS, over all pairs
CREATE TABLE node (id INT);
CREATE TABLE edge (x INT, y INT);
INSERT INTO node VALUES (1), (2), (3);
INSERT INTO edge VALUES (1, 2), (2, 3);
-- stream: incremental
WITH RECURSIVE path (x, y, hops) AS (
  SELECT x, y, 1 FROM edge
  UNION ALL
  SELECT path.x, edge.y, path.hops + 1 FROM path JOIN edge ON path.y = edge.x WHERE path.hops < 4
)
SELECT a.id AS x, b.id AS y FROM node AS a CROSS JOIN node AS b
WHERE NOT EXISTS (SELECT 1 FROM path WHERE path.x = a.id AND path.y = b.id);
-- answer: 1, 1 | 2, 1 | 2, 2 | 3, 1 | 3, 2 | 3, 3
-- change: the cycle closes
INSERT INTO edge VALUES (3, 1);
-- expect: - 1, 1 | 2, 1 | 2, 2 | 3, 1 | 3, 2 | 3, 3
-- change: it opens elsewhere, and a node comes
DELETE FROM edge WHERE x = 1;
INSERT INTO node VALUES (4);
-- expect: + 1, 1 | 1, 2 | 1, 3 | 2, 2 | 3, 2 | 3, 3
-- expect: + 1, 4 | 2, 4 | 3, 4 | 4, 1 | 4, 2 | 4, 3 | 4, 4

-- title: safe(x, y) :- safe(x, z), edge(z, y), !closed(y).
CREATE TABLE edge (x STRING, y STRING);
CREATE TABLE closed (id STRING);
INSERT INTO edge VALUES ('a', 'b'), ('b', 'c'), ('a', 'd'), ('d', 'c'), ('c', 'e');
INSERT INTO closed VALUES ('b');
-- stream: incremental
WITH RECURSIVE safe (id, hops) AS (
  SELECT 'a', 0
  UNION ALL
  SELECT open.y, safe.hops + 1
  FROM safe JOIN (SELECT x, y FROM edge LEFT ANTI JOIN closed ON edge.y = closed.id) AS open ON safe.id = open.x
  WHERE safe.hops < 6
)
SELECT DISTINCT id FROM safe;
-- answer: 'a' | 'd' | 'c' | 'e'
-- change: the other way is closed too
INSERT INTO closed VALUES ('d'), ('d');
-- expect: - 'd' | 'c' | 'e'
-- change: one of them opens; a way is closed once less than twice
DELETE FROM closed WHERE id = 'b';
-- expect: + 'b' | 'c' | 'e'
-- change: an edge leads round what is closed
INSERT INTO edge VALUES ('e', 'a'), ('a', 'e');
INSERT INTO closed VALUES ('c');
-- expect: - 'c'
