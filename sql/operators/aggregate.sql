-- title: trap C1: the last value leaves but the group lives
CREATE TABLE a (g STRING, v INT);
INSERT INTO a VALUES ('p', 5), ('p', NULL);
-- stream: incremental
SELECT g, SUM(v) AS s, COUNT(*) AS n FROM a GROUP BY g;
-- answer: 'p', 5, 2
-- change: the value goes
DELETE FROM a WHERE v = 5;
-- answer: 'p', NULL, 1

-- title: trap C2: without groups there is one row, even of nothing
CREATE TABLE a (g STRING, v INT);
INSERT INTO a VALUES ('p', 5);
-- stream: incremental
SELECT COUNT(*) AS n, SUM(v) AS s FROM a;
-- answer: 1, 5
-- change: all go
DELETE FROM a;
-- answer: 0, NULL
-- change: one comes, without a value
INSERT INTO a VALUES ('q', NULL);
-- answer: 1, NULL

-- title: every aggregate of an empty table
CREATE TABLE a (v INT, d DECIMAL(10,2));
-- stream: incremental
SELECT COUNT(*) AS n, COUNT(v) AS c, SUM(v) AS s, AVG(d) AS a, MIN(v) AS lo, MAX(d) AS hi FROM a;
-- answer: 0, 0, NULL, NULL, NULL, NULL
-- change: it fills
INSERT INTO a VALUES (1, 1.50), (2, 2.50), (NULL, NULL);
-- answer: 3, 2, 3, 2, 1, 2.5
-- change: it empties
DELETE FROM a;
-- answer: 0, 0, NULL, NULL, NULL, NULL

-- title: only COUNT(*), of a table and of a join
CREATE TABLE a (g INT);
-- stream: incremental
SELECT COUNT(*) AS n FROM a UNION ALL SELECT COUNT(*) FROM a x, a y;
-- answer: 0 | 0
-- change: two
INSERT INTO a VALUES (1), (NULL);
-- answer: 2 | 4

-- title: trap C3: the group of NULL empties and revives
CREATE TABLE a (g STRING, v INT);
INSERT INTO a VALUES (NULL, 1), ('p', 2);
-- stream: incremental
SELECT g, SUM(v) AS s FROM a GROUP BY g;
-- answer: NULL, 1 | 'p', 2
-- change: it empties
DELETE FROM a WHERE g IS NULL;
-- answer: 'p', 2
-- change: it revives
INSERT INTO a VALUES (NULL, 9);
-- answer: NULL, 9 | 'p', 2

-- title: trap C4: one of two equal minima goes
CREATE TABLE a (g STRING, v INT);
INSERT INTO a VALUES ('p', 1), ('p', 1), ('p', 4);
-- stream: incremental
SELECT g, MIN(v) AS m FROM a GROUP BY g;
-- change: one of the two
DELETE FROM a;
INSERT INTO a VALUES ('p', 1), ('p', 4);
-- expect: nothing
-- answer: 'p', 1

-- title: trap C5: the minimum moves up in one refresh
CREATE TABLE a (g STRING, v INT);
INSERT INTO a VALUES ('p', 1), ('p', 4);
-- stream: incremental
SELECT g, MIN(v) AS lo, MAX(v) AS hi FROM a GROUP BY g;
-- answer: 'p', 1, 4
-- change: an update past the other
UPDATE a SET v = 10 WHERE v = 1;
-- answer: 'p', 4, 10

-- title: trap C6: HAVING, a group leaves and returns with all its rows
CREATE TABLE a (g STRING, v INT);
INSERT INTO a VALUES ('p', 30), ('p', 10);
-- stream: incremental
SELECT g, SUM(v) AS s FROM a GROUP BY g HAVING SUM(v) > 20;
-- answer: 'p', 40
-- change: below the threshold
DELETE FROM a WHERE v = 30;
-- answer: nothing
-- change: above it again
INSERT INTO a VALUES ('p', 15);
-- answer: 'p', 25
-- change: the sum becomes NULL
UPDATE a SET v = NULL;
-- answer: nothing

-- title: HAVING on an aggregate that is not shown, and without GROUP BY
CREATE TABLE a (g STRING, v INT);
INSERT INTO a VALUES ('p', 1), ('p', 2), ('q', 9);
-- stream: incremental
SELECT g FROM a GROUP BY g HAVING COUNT(*) > 1 AND MAX(v) < 5
UNION ALL SELECT 'many' FROM a HAVING COUNT(*) >= 4 UNION ALL SELECT 'always' FROM a HAVING 1 = 1;
-- answer: 'p' | 'always'
-- change: both thresholds
INSERT INTO a VALUES ('q', 1), ('p', 5);
UPDATE a SET v = 2 WHERE v = 9;
-- answer: 'q' | 'many' | 'always'
-- change: nothing is left
DELETE FROM a;
-- answer: 'always'

-- title: trap C7: COUNT(DISTINCT), one of two copies goes
CREATE TABLE a (g STRING, v INT);
INSERT INTO a VALUES ('p', 1), ('p', 1), ('p', 2);
-- stream: incremental
SELECT g, COUNT(DISTINCT v) AS u FROM a GROUP BY g;
-- change: one of the two
DELETE FROM a WHERE v = 1;
INSERT INTO a VALUES ('p', 1);
-- expect: nothing
-- answer: 'p', 2

-- title: trap C8: SUM of CASE, the case of a row changes
CREATE TABLE a (c STRING, v INT);
INSERT INTO a VALUES ('hi', 1), ('lo', 1);
-- stream: incremental
SELECT SUM(CASE WHEN c IN ('hi') THEN 1 ELSE 0 END) AS h, SUM(CASE WHEN c NOT IN ('hi') THEN 1 ELSE 0 END) AS l FROM a;
-- answer: 1, 1
-- change: high becomes low
UPDATE a SET c = 'lo' WHERE c = 'hi';
-- answer: 0, 2

-- title: trap C9: a sum of floats forgets what left
CREATE TABLE a (g STRING, v DOUBLE);
INSERT INTO a VALUES ('p', 1e16), ('p', 1);
-- stream: incremental
SELECT g, SUM(v) AS s FROM a GROUP BY g;
-- change: the great one goes
DELETE FROM a WHERE v = 1e16;
-- answer: 'p', 1.0
-- change: NaN comes
INSERT INTO a VALUES ('p', CAST('NaN' AS DOUBLE));
-- change: NaN goes
DELETE FROM a WHERE v <> 1;
-- answer: 'p', 1.0

-- title: trap C10: the arrival of a NULL touches its group
CREATE TABLE a (g STRING, v INT);
INSERT INTO a VALUES ('p', 1);
-- stream: incremental
SELECT g, COUNT(*) AS n, COUNT(v) AS c FROM a GROUP BY g;
-- answer: 'p', 1, 1
-- change: a NULL
INSERT INTO a VALUES ('p', NULL);
-- answer: 'p', 2, 1

-- title: trap C11: an aggregate of an aggregate
CREATE TABLE a (k INT, v INT);
INSERT INTO a VALUES (1, 1), (1, 1), (2, 1);
-- stream: incremental
SELECT c, COUNT(*) AS n FROM (SELECT k, COUNT(*) AS c FROM a GROUP BY k) z GROUP BY c;
-- answer: 1, 1 | 2, 1
-- change: the smaller group grows
INSERT INTO a VALUES (2, 1);
-- answer: 2, 2
-- change: a new group, another empties
INSERT INTO a VALUES (3, 1);
DELETE FROM a WHERE k = 1;
-- answer: 1, 1 | 2, 1

-- title: trap C13: an update moves a row to another group and changes its value
CREATE TABLE a (g STRING, v INT);
INSERT INTO a VALUES ('p', 5), ('q', 1);
-- stream: incremental
SELECT g, SUM(v) AS s, COUNT(*) AS n FROM a GROUP BY g;
-- answer: 'p', 5, 1 | 'q', 1, 1
-- change: it moves
UPDATE a SET g = 'q', v = 100 WHERE v = 5;
-- answer: 'q', 101, 2

-- title: trap F5: keys that look alike when strung together
CREATE TABLE a (x STRING, y STRING);
INSERT INTO a VALUES ('a', 'b:c');
-- stream: incremental
SELECT x, y, COUNT(*) AS n FROM a GROUP BY x, y;
-- answer: 'a', 'b:c', 1
-- change: the look-alike
INSERT INTO a VALUES ('a:b', 'c');
-- answer: 'a', 'b:c', 1 | 'a:b', 'c', 1

-- title: trap F6: NULL in one place or the other
CREATE TABLE a (x STRING, y STRING);
INSERT INTO a VALUES (NULL, 'a');
-- stream: incremental
SELECT x, y, COUNT(*) AS n FROM a GROUP BY x, y;
-- answer: NULL, 'a', 1
-- change: the other place
INSERT INTO a VALUES ('a', NULL);
-- answer: NULL, 'a', 1 | 'a', NULL, 1

-- title: DISTINCT and FILTER in every aggregate
CREATE TABLE a (g STRING, v INT, ok BOOLEAN);
INSERT INTO a VALUES ('p', 1, TRUE), ('p', 1, FALSE), ('p', 3, NULL), ('q', NULL, TRUE);
-- stream: incremental
SELECT g, COUNT(*) FILTER (WHERE ok) AS n, SUM(DISTINCT v) AS sd, SUM(v) FILTER (WHERE NOT ok) AS sf,
       COUNT(DISTINCT v) AS cd, AVG(DISTINCT v) AS ad, MIN(v) FILTER (WHERE v > 1) AS lo, MAX(DISTINCT v) AS hi
FROM a GROUP BY g;
-- answer: 'p', 1, 4, 1, 2, 2, 3, 3 | 'q', 1, NULL, NULL, 0, NULL, NULL, NULL
-- change: the filter's column of one, the value of another
UPDATE a SET ok = NULL WHERE g = 'p' AND ok;
UPDATE a SET v = 3 WHERE g = 'q';
-- answer: 'p', 0, 4, 1, 2, 2, 3, 3 | 'q', 1, 3, NULL, 1, 3, 3, 3
-- change: copies
INSERT INTO a VALUES ('q', 3, FALSE), ('p', 3, TRUE);
DELETE FROM a WHERE g = 'p' AND v = 1;
-- answer: 'p', 1, 3, NULL, 1, 3, 3, 3 | 'q', 1, 3, 3, 1, 3, 3, 3

-- title: DECIMAL sums and averages are exact
CREATE TABLE a (g STRING, v DECIMAL(10,2));
INSERT INTO a VALUES ('p', 0.10), ('p', 0.20), ('p', 99999999.99), ('q', -0.01);
-- stream: incremental
SELECT g, SUM(v) AS s, MIN(v) AS lo, MAX(v) AS hi FROM a GROUP BY g;
-- answer: 'p', 100000000.29, 0.10, 99999999.99 | 'q', -0.01, -0.01, -0.01
-- change: the great one goes, a NULL comes
DELETE FROM a WHERE v > 1;
INSERT INTO a VALUES ('q', NULL);
-- answer: 'p', 0.3, 0.1, 0.2 | 'q', -0.01, -0.01, -0.01

-- title: GROUP BY an expression, an ordinal and an alias
CREATE TABLE a (s STRING, v INT);
INSERT INTO a VALUES ('x', 1), ('X', 2), (NULL, 3);
-- stream: incremental
SELECT upper(s) AS word, SUM(v) AS total FROM a GROUP BY upper(s)
UNION ALL SELECT CAST(v % 2 AS STRING), COUNT(*) FROM a GROUP BY 1
UNION ALL SELECT CAST(v > 1 AS STRING) AS is_big, COUNT(*) FROM a GROUP BY is_big;
-- change: the case of one, the value of another
UPDATE a SET s = 'y' WHERE s = 'X';
UPDATE a SET v = 4 WHERE s IS NULL;
-- change: a group each empties
DELETE FROM a WHERE v > 1;

-- title: a key that is not shown, and a key shown twice
CREATE TABLE a (g STRING, v INT);
INSERT INTO a VALUES ('p', 1), ('q', 1), (NULL, 1);
-- stream: incremental
SELECT SUM(v) AS s FROM a GROUP BY g UNION ALL SELECT length(g1) + length(g2) FROM (SELECT g AS g1, g AS g2 FROM a GROUP BY g) z;
-- answer: 1 | 1 | 1 | 2 | 2 | NULL
-- change: two groups become one, one doubles
UPDATE a SET g = 'p' WHERE g = 'q';
INSERT INTO a VALUES (NULL, NULL);
-- answer: 2 | 1 | 2 | NULL

-- title: expressions over aggregates and keys
CREATE TABLE a (g INT, v INT);
INSERT INTO a VALUES (1, 10), (1, 20), (2, 5);
-- stream: incremental
SELECT g * 10 AS g10, SUM(v) + COUNT(*) AS both, CASE WHEN MIN(v) = MAX(v) THEN 'one' ELSE 'more' END AS kind,
       coalesce(SUM(v) FILTER (WHERE v > 15), 0) AS great FROM a GROUP BY g;
-- answer: 10, 32, 'more', 20 | 20, 6, 'one', 0
-- change: both groups
DELETE FROM a WHERE v = 20;
INSERT INTO a VALUES (2, 6), (NULL, NULL);
-- answer: 10, 11, 'one', 0 | 20, 13, 'more', 0 | NULL, NULL, 'more', 0

-- title: a value changes so that its group does not
CREATE TABLE a (id INT, g STRING, v INT);
INSERT INTO a VALUES (1, 'p', 1), (2, 'p', 3), (3, 'q', 7);
-- stream: incremental
SELECT g, SUM(v) AS s, COUNT(*) AS n FROM a GROUP BY g;
-- change: what one loses the other gains
UPDATE a SET v = 4 - v WHERE g = 'p';
-- expect: nothing
-- change: a row goes and its like comes
DELETE FROM a WHERE id = 3;
INSERT INTO a VALUES (4, 'q', 7);
-- expect: nothing

-- title: groups come, go and swap, two groups and both sides of a join at once
CREATE TABLE o (id INT, c INT, v INT);
CREATE TABLE c (id INT, region STRING);
INSERT INTO o VALUES (1, 1, 10), (2, 2, 20), (3, 9, 5);
INSERT INTO c VALUES (1, 'n'), (2, 's');
-- stream: incremental
SELECT region, COUNT(*) AS n, SUM(v) AS s FROM o JOIN c ON o.c = c.id GROUP BY region;
-- answer: 'n', 1, 10 | 's', 1, 20
-- change: customers swap regions, one is found at last
UPDATE c SET region = CASE WHEN region = 'n' THEN 's' ELSE 'n' END;
INSERT INTO c VALUES (9, 'n');
UPDATE o SET v = v + 1;
-- answer: 's', 1, 11 | 'n', 2, 27
-- change: a region empties by its customers and its orders
DELETE FROM c WHERE id = 9;
DELETE FROM o WHERE id = 2;
-- answer: 's', 1, 11

-- title: the grand total as a row beside every group
CREATE TABLE a (g STRING, v INT);
INSERT INTO a VALUES ('p', 1), ('q', 3);
-- stream: incremental
SELECT g, s, t.total FROM (SELECT g, SUM(v) AS s FROM a GROUP BY g) z CROSS JOIN (SELECT SUM(v) AS total FROM a) t;
-- answer: 'p', 1, 4 | 'q', 3, 4
-- change: one group moves every row
INSERT INTO a VALUES ('p', 6);
-- answer: 'p', 7, 10 | 'q', 3, 10
-- change: what one loses the other gains
UPDATE a SET g = 'q' WHERE v = 6;
-- answer: 'p', 1, 10 | 'q', 9, 10
-- change: all go
DELETE FROM a;
-- answer: nothing

-- title: three levels, the middle one with HAVING
CREATE TABLE a (k INT, g STRING, v INT);
INSERT INTO a VALUES (1, 'p', 1), (1, 'p', 2), (2, 'p', 3), (3, 'q', 4);
-- stream: incremental
SELECT MAX(total) AS best, COUNT(*) AS n FROM (
  SELECT g, SUM(s) AS total FROM (SELECT k, g, SUM(v) AS s FROM a GROUP BY k, g HAVING COUNT(*) < 3) x GROUP BY g
) y;
-- answer: 6, 2
-- change: one group of the lowest level grows too large
INSERT INTO a VALUES (1, 'p', 9);
-- answer: 4, 2
-- change: and another group goes
DELETE FROM a WHERE g = 'q';
-- answer: 3, 1
-- change: all
DELETE FROM a;
-- answer: NULL, 0

-- title: GROUP BY without aggregates is DISTINCT
CREATE TABLE a (g STRING, h INT);
INSERT INTO a VALUES ('p', 1), ('p', 1), (NULL, NULL);
-- stream: incremental
SELECT h, g FROM a GROUP BY g, h;
-- answer: 1, 'p' | NULL, NULL
-- change: a copy goes, the NULLs double
DELETE FROM a WHERE g = 'p';
INSERT INTO a VALUES ('p', 1), (NULL, NULL);
-- expect: nothing
-- change: the last copies go
DELETE FROM a;
-- answer: nothing

-- title: statistics that no rule could take apart
-- lane: spark its functions of that name are its own
CREATE TABLE a (g STRING, v INT);
INSERT INTO a VALUES ('p', 1), ('p', 5), ('q', 2);
-- stream: incremental
SELECT g, stddev_pop(v) AS sd, percentile(v, 0.5) AS half, max_by(v, v) AS best, bool_and(v > 1) AS all_big,
       count_if(v > 1) AS big, sort_array(collect_set(v)) AS seen FROM a GROUP BY g;
-- change: values in both groups
INSERT INTO a VALUES ('p', 5), ('q', NULL);
UPDATE a SET v = 3 WHERE v = 1;
-- change: one group
DELETE FROM a WHERE g = 'p' AND v = 5;

-- title: bits and truth values
CREATE TABLE a (g STRING, v INT, b BOOLEAN);
INSERT INTO a VALUES ('p', 1, TRUE), ('p', 3, NULL), ('p', 6, TRUE), ('q', NULL, NULL);
-- stream: incremental
SELECT g, bit_and(v) AS all_bits, bit_or(v) AS some_bits, bit_xor(v) AS odd_bits, bool_and(b) AS all_true, bool_or(b) AS some_true FROM a GROUP BY g;
-- answer: 'p', 0, 7, 4, TRUE, TRUE | 'q', NULL, NULL, NULL, NULL, NULL
-- change: a false one, a first value
INSERT INTO a VALUES ('p', 7, FALSE);
UPDATE a SET v = 4 WHERE g = 'q';
-- answer: 'p', 0, 7, 3, FALSE, TRUE | 'q', 4, 4, 4, NULL, NULL
-- change: the only true ones go
DELETE FROM a WHERE b;
-- answer: 'p', 3, 7, 4, FALSE, FALSE | 'q', 4, 4, 4, NULL, NULL

-- title: the name that goes with the greatest and the least
CREATE TABLE a (g STRING, name STRING, v INT);
INSERT INTO a VALUES ('p', 'x', 1), ('p', 'y', 5), ('q', 'z', 3);
-- stream: incremental
SELECT g, max_by(name, v) AS best, min_by(name, v) AS worst, MAX(v) - MIN(v) AS spread FROM a GROUP BY g;
-- answer: 'p', 'y', 'x', 4 | 'q', 'z', 'z', 0
-- change: the best goes, a worse one comes
DELETE FROM a WHERE name = 'y';
INSERT INTO a VALUES ('q', 'w', 0), ('p', 'v', 2);
-- answer: 'p', 'v', 'x', 1 | 'q', 'z', 'w', 3
-- change: they swap, NULL comes
UPDATE a SET v = 3 - v WHERE g = 'q';
INSERT INTO a VALUES ('p', 'n', NULL);
-- answer: 'p', 'v', 'x', 1 | 'q', 'w', 'z', 3

-- title: medians, variances and slopes
CREATE TABLE a (g STRING, x DOUBLE, y DOUBLE);
INSERT INTO a VALUES ('p', 1, 2), ('p', 3, 6), ('q', 5, 5), ('q', NULL, 1);
-- stream: incremental
SELECT g, median(x) AS m, var_pop(x) AS v, stddev_samp(x) AS sd, covar_pop(x, y) AS cov, regr_count(x, y) AS n FROM a GROUP BY g;
-- answer: 'p', 2, 1, CAST('1.4142135623730951' AS DOUBLE), 2, 2 | 'q', 5, 0, NULL, 0, 1
-- change: a third point, a second one
INSERT INTO a VALUES ('p', 5, 10);
UPDATE a SET x = 7 WHERE x IS NULL;
-- change: the points of one go
DELETE FROM a WHERE g = 'p' AND x > 1;
-- change: all of it
DELETE FROM a;
-- answer: nothing

-- title: DISTINCT in several aggregates, HAVING on them
CREATE TABLE a (g STRING, v INT, w INT);
INSERT INTO a VALUES ('p', 1, 1), ('p', 1, 2), ('q', 2, 2), ('q', 3, 2);
-- stream: incremental
SELECT g, COUNT(DISTINCT v) AS d, SUM(DISTINCT v) AS s, COUNT(DISTINCT v, w) AS both, MAX(w) AS m FROM a GROUP BY g HAVING COUNT(DISTINCT v) > 1 OR MAX(w) > 2;
-- answer: 'q', 2, 5, 2, 2
-- change: one falls below as the other rises by its other reason
UPDATE a SET v = 2 WHERE v = 3;
INSERT INTO a VALUES ('p', 1, 3);
-- answer: 'p', 1, 1, 3, 3
-- change: reasons change places
DELETE FROM a WHERE w = 3;
INSERT INTO a VALUES ('p', 9, 1), ('q', 2, 4);
-- answer: 'p', 2, 10, 3, 2 | 'q', 1, 2, 2, 4

-- title: FILTER, and CASE that does the same
CREATE TABLE a (g STRING, kind STRING, v INT);
CREATE TABLE k (kind STRING, is_good BOOLEAN);
INSERT INTO a VALUES ('p', 'x', 1), ('p', 'y', 2), ('q', 'x', 4), ('q', NULL, 8);
INSERT INTO k VALUES ('x', TRUE), ('y', FALSE);
-- stream: incremental
SELECT a.g, COUNT(*) FILTER (WHERE k.is_good) AS n, SUM(v) FILTER (WHERE NOT k.is_good) AS bad, SUM(CASE WHEN k.is_good THEN v ELSE 0 END) AS good,
AVG(v) FILTER (WHERE k.kind IS NULL) AS unknown FROM a LEFT JOIN k ON k.kind = a.kind GROUP BY a.g;
-- answer: 'p', 1, 2, 1, NULL | 'q', 1, NULL, 4, 8
-- change: kinds turn, a kind gets known
UPDATE k SET is_good = NOT is_good;
UPDATE a SET kind = 'y' WHERE kind IS NULL;
-- answer: 'p', 1, 1, 2, NULL | 'q', 1, 4, 8, NULL
-- change: a kind goes, a row moves
DELETE FROM k WHERE kind = 'y';
UPDATE a SET g = 'q' WHERE kind = 'y';
-- answer: 'p', 0, 1, 0, NULL | 'q', 0, 4, 0, 5

-- title: HAVING asks for a column that the joined tables share
CREATE TABLE a (id INT, x INT);
CREATE TABLE b (id INT, y INT);
INSERT INTO a VALUES (1, 10), (2, 20), (NULL, 30);
INSERT INTO b VALUES (1, 1), (3, 2);
-- stream: incremental
SELECT SUM(x) AS x, SUM(y) AS y FROM a FULL JOIN b USING (id) GROUP BY id HAVING id > 1 AND MAX(id) < 9;
-- answer: 20, NULL | NULL, 2
-- change: a side comes, a side goes
INSERT INTO a VALUES (3, 5), (9, 1);
DELETE FROM a WHERE id = 2;
INSERT INTO b VALUES (2, 8);
-- answer: NULL, 8 | 5, 2

-- title: a subquery of HAVING asks for an aggregate of the group
CREATE TABLE a (g STRING, v INT);
CREATE TABLE b (w INT, g STRING);
INSERT INTO a VALUES ('p', 5), ('p', 7), ('q', 1), (NULL, 3);
INSERT INTO b VALUES (4, 'p'), (1, 'q');
-- stream: incremental
SELECT a.g, COUNT(*) AS n FROM a GROUP BY a.g
HAVING EXISTS (SELECT 1 FROM b WHERE b.w < MIN(a.v)) AND MAX(a.v) NOT IN (SELECT b.w + 3 FROM b WHERE b.g <=> a.g);
-- answer: NULL, 1
-- change: both tables
UPDATE a SET v = 6 WHERE v = 7;
INSERT INTO b VALUES (0, NULL);
-- answer: 'p', 2 | 'q', 1

-- title: a subquery of HAVING with an aggregate of its own, written as that of the group
CREATE TABLE a (g STRING, v INT);
INSERT INTO a VALUES ('p', 5), ('p', 7), ('q', 1);
-- stream: incremental
SELECT g, SUM(v) AS s FROM a GROUP BY g HAVING SUM(v) * 2 > (SELECT SUM(v) FROM a);
-- answer: 'p', 12
-- change: the other one
INSERT INTO a VALUES ('q', 20);
-- answer: 'q', 21

-- title: extremes beside sums, lost, equalled and found again
CREATE TABLE a (g STRING, v INT, w DECIMAL(6,2), s STRING, ok BOOLEAN);
INSERT INTO a VALUES ('p', 5, 1.50, 'x', TRUE), ('p', 5, 2.50, 'y', NULL), ('p', 3, 2.50, 'z', TRUE), ('q', NULL, NULL, NULL, NULL), ('r', 9, 1.00, 'a', FALSE);
-- stream: incremental
SELECT g, MAX(v) AS most, MIN(w) AS least, MAX(s) FILTER (WHERE v < 9) AS last, SUM(v) AS total, COUNT(*) AS n, BOOL_AND(ok) AS every, BOOL_OR(ok) AS some
FROM a GROUP BY g HAVING COUNT(*) > 1 OR MAX(v) IS NULL OR MAX(v) > 8;
-- answer: 'p', 5, 1.50, 'z', 13, 3, TRUE, TRUE | 'q', NULL, NULL, NULL, NULL, 1, NULL, NULL | 'r', 9, 1.00, NULL, 9, 1, FALSE, FALSE
-- change: one of two rows with the maximum goes, which takes the minimum along
DELETE FROM a WHERE s = 'x';
-- answer: 'p', 5, 2.50, 'z', 8, 2, TRUE, TRUE | 'q', NULL, NULL, NULL, NULL, 1, NULL, NULL | 'r', 9, 1.00, NULL, 9, 1, FALSE, FALSE
-- change: the other changes in what the maximum does not read; a NULL gets a value
UPDATE a SET w = 7.25, ok = FALSE WHERE s = 'y';
UPDATE a SET v = 1, w = -1, s = 'm' WHERE g = 'q';
INSERT INTO a VALUES ('q', 0, 0, '', TRUE);
-- answer: 'p', 5, 2.50, 'z', 8, 2, FALSE, TRUE | 'q', 1, -1.00, 'm', 1, 2, TRUE, TRUE | 'r', 9, 1.00, NULL, 9, 1, FALSE, FALSE
-- change: every extremum goes as a better, an equal and a worse one come
DELETE FROM a WHERE s IN ('y', 'm', 'a');
INSERT INTO a VALUES ('p', 6, 2.50, 'b', TRUE), ('q', 1, 5.00, 'm', FALSE), ('r', 8, 1.00, 'c', TRUE);
-- answer: 'p', 6, 2.50, 'z', 9, 2, TRUE, TRUE | 'q', 1, 0.00, 'm', 1, 2, FALSE, TRUE
-- change: a group that HAVING hid comes back by its maximum
UPDATE a SET v = 10 WHERE g = 'r';
-- expect: + 'r', 10, 1.00, NULL, 10, 1, TRUE, TRUE
-- change: nothing is left
DELETE FROM a;
-- answer: nothing

-- title: extremes of a whole table
CREATE TABLE a (v INT, s STRING);
-- stream: incremental
SELECT MAX(v) AS most, MIN(v) AS least, MIN(s) AS first, COUNT(*) AS n, BOOL_AND(v > 0) AS every FROM a;
-- answer: NULL, NULL, NULL, 0, NULL
-- change: rows come
INSERT INTO a VALUES (1, 'b'), (7, 'c'), (NULL, 'd');
-- answer: 7, 1, 'b', 3, TRUE
-- change: both ends go, one of them replaced
DELETE FROM a WHERE v > 0;
INSERT INTO a VALUES (1, 'z'), (0, NULL);
-- answer: 1, 0, 'd', 3, FALSE
-- change: nothing is left
DELETE FROM a;
-- answer: NULL, NULL, NULL, 0, NULL
