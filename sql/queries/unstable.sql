-- title: a sum of floats below a join and a filter
-- lane: spark it adds floats in their order by functions of its own
CREATE TABLE a (g STRING, v DOUBLE);
CREATE TABLE n (g STRING, name STRING);
INSERT INTO a VALUES ('p', 0.1), ('p', 0.2), ('p', 0.3), ('q', 1e16), ('q', 1), ('q', -1e16);
INSERT INTO n VALUES ('p', 'pe'), ('q', 'qu');
-- stream: incremental
SELECT name, s FROM (SELECT g, SUM(v) AS s FROM a GROUP BY g) z JOIN n ON n.g = z.g;
-- change: values come and go
INSERT INTO a VALUES ('p', 0.7), ('q', 0.5);
DELETE FROM a WHERE v = 0.2;
-- change: and the names
UPDATE n SET name = 'P' WHERE g = 'p';
DELETE FROM a WHERE v = 0.1;

-- title: a sum of quotients of integers below DISTINCT
-- lane: spark it adds floats in their order by functions of its own
CREATE TABLE a (g STRING, v INT);
INSERT INTO a VALUES ('p', 1), ('p', 2), ('q', 3);
-- stream: incremental
SELECT DISTINCT s FROM (SELECT g, SUM(v / 3) AS s FROM a GROUP BY g) z;
-- change: both groups
INSERT INTO a VALUES ('p', 3), ('q', 3);

-- title: a sum of averages, each group shown with its key
-- lane: spark it adds floats in their order by functions of its own
CREATE TABLE a (g STRING, h INT, v DOUBLE);
INSERT INTO a VALUES ('p', 1, 0.1), ('p', 1, 0.2), ('p', 2, 0.7);
-- stream: incremental
SELECT g, SUM(m) AS s FROM (SELECT g, h, AVG(v) AS m FROM a GROUP BY g, h) z GROUP BY g;
-- change: one group
INSERT INTO a VALUES ('p', 2, 0.3), ('q', 1, 0.4);

-- title: floats that are compared, counted or made exact below a join
CREATE TABLE a (g STRING, v DOUBLE);
CREATE TABLE n (g STRING, name STRING);
INSERT INTO a VALUES ('p', 0.1), ('p', 0.2), ('q', -1.5);
INSERT INTO n VALUES ('p', 'pe'), ('q', 'qu');
-- stream: incremental
SELECT name, big, hi, exact FROM (
  SELECT g, SUM(CASE WHEN v > 0 THEN 1 ELSE 0 END) AS big, MAX(v) AS hi, SUM(CAST(v AS DECIMAL(10,2))) AS exact
  FROM a GROUP BY g) z JOIN n ON n.g = z.g;
-- answer: 'pe', 2, 0.2, 0.3 | 'qu', 0, -1.5, -1.5
-- change: both groups and a name
UPDATE a SET v = v + 1 WHERE v > 0.15 OR g = 'q';
UPDATE n SET name = 'P' WHERE g = 'p';

-- title: the name that goes with the greatest value, below a join
-- lane: spark its function of that name is its own
CREATE TABLE a (g STRING, v INT, who STRING);
INSERT INTO a VALUES ('p', 1, 'x'), ('p', 1, 'y');
-- stream: incremental
SELECT z.g, z.best IS NOT NULL AS is_known FROM (SELECT g, max_by(who, v) AS best FROM a GROUP BY g) z JOIN a ON a.g = z.g;
-- change: a tie more
INSERT INTO a VALUES ('p', 1, 'z');

-- title: an aggregate without a stable form, below a join
-- lane: spark its functions of that name are its own
CREATE TABLE a (g STRING, v DOUBLE);
INSERT INTO a VALUES ('p', 1), ('p', 2), ('q', 3);
-- stream: full UNSTABLE_AGGREGATE
SELECT a.g, length(z.k) > 0 AS is_some FROM (SELECT g, hll_sketch_agg(v) AS k FROM a GROUP BY g) z JOIN a ON a.g = z.g;
-- change: another value
INSERT INTO a VALUES ('p', 3), ('p', 7);

-- title: aggregates over floats that depend on the order they are met in, below other operators
-- lane: spark its functions of that name are its own
CREATE TABLE a (g STRING, v DOUBLE, w INT);
INSERT INTO a VALUES ('p', 1, 1), ('p', 2, 3), ('p', 4, 4), ('q', 3, NULL), (NULL, 1, 1);
-- stream: incremental
SELECT a.g, a.v, z.k > 0 AS is_peaked, z.s, z.c, z.p, z.m FROM (
  SELECT g, kurtosis(v) AS k, stddev(v) FILTER (WHERE w > 1) + 1 AS s, corr(v, w) AS c, percentile_approx(v, 0.5) AS p,
    mode(w) AS m FROM a GROUP BY g) z JOIN a ON a.g <=> z.g;
-- change: another value, a value less, a group less, a group more
INSERT INTO a VALUES ('p', 3, 1), ('p', 7, 2), ('r', 1, 1);
DELETE FROM a WHERE g = 'q' OR v = 2;

-- title: a variance of all rows as a limit
CREATE TABLE a (id INT, v DOUBLE);
INSERT INTO a VALUES (1, 1), (2, 2), (3, 9);
-- stream: incremental
SELECT id FROM a WHERE v > (SELECT stddev_pop(v) FROM a) + 1;
-- answer: 3
-- change: closer together
UPDATE a SET v = 3 WHERE id = 3;
-- answer: 2 | 3
-- change: none
DELETE FROM a;
-- answer: nothing

-- title: an nth value over a sliding range
-- lane: spark its functions of that name are its own
CREATE TABLE a (g STRING, t INT, v INT);
INSERT INTO a VALUES ('p', 1, 1), ('p', 2, 2), ('q', 1, 3);
-- stream: full ORDER_DEPENDENT
SELECT g, t, nth_value(v, 2) OVER (PARTITION BY g ORDER BY t RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) AS second FROM a;
-- change: another row
INSERT INTO a VALUES ('p', 3, 3);

-- title: the first of several, lists in no order, the best of equals, below another operator and at the top
-- lane: spark its functions of that name are its own
CREATE TABLE a (g STRING, v INT, who STRING);
CREATE TABLE n (g STRING, name STRING);
INSERT INTO a VALUES ('p', 1, 'x'), ('p', 1, 'x'), ('q', 2, NULL);
INSERT INTO n VALUES ('p', 'pe'), ('q', 'qu');
-- stream: incremental
SELECT n.name, z.f, z.l, size(z.list) AS n, z.best FROM (
  SELECT g, first(who) AS f, last(who, true) AS l, collect_list(v) AS list, max_by(who, v) AS best, any_value(v) AS some
  FROM a GROUP BY g) z JOIN n ON n.g = z.g;
-- answer: 'pe', 'x', 'x', 2, 'x' | 'qu', NULL, NULL, 1, NULL
-- change: both
UPDATE a SET who = 'y' WHERE g = 'q';
DELETE FROM a WHERE g = 'p';
INSERT INTO a VALUES ('p', 3, 'z');
UPDATE n SET name = 'P' WHERE g = 'p';
-- answer: 'P', 'z', 'z', 1, 'z' | 'qu', 'y', 'y', 1, 'y'
