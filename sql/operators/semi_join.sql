-- title: trap B1: NOT IN, a NULL comes
CREATE TABLE a (x INT);
CREATE TABLE b (y INT);
INSERT INTO a VALUES (1), (2);
INSERT INTO b VALUES (2);
-- stream: incremental
SELECT x FROM a WHERE x NOT IN (SELECT y FROM b);
-- answer: 1
-- change: NULL
INSERT INTO b VALUES (NULL);
-- answer: nothing

-- title: trap B2: NOT IN of nothing keeps NULL
CREATE TABLE a (x INT);
CREATE TABLE b (y INT);
INSERT INTO a VALUES (1), (NULL);
INSERT INTO b VALUES (5);
-- stream: incremental
SELECT x FROM a WHERE x NOT IN (SELECT y FROM b);
-- answer: 1
-- change: it empties
DELETE FROM b;
-- answer: 1 | NULL

-- title: trap B3: one of two matches goes
CREATE TABLE a (x INT);
CREATE TABLE b (y INT);
INSERT INTO a VALUES (1);
INSERT INTO b VALUES (1), (1);
-- stream: incremental
SELECT x FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.y = a.x);
-- change: one stays
DELETE FROM b;
INSERT INTO b VALUES (1);
-- expect: nothing
-- answer: 1

-- title: trap B4: a row loses one of two reasons
CREATE TABLE a (x INT, v INT);
CREATE TABLE b (y INT);
INSERT INTO a VALUES (1, 100);
INSERT INTO b VALUES (1);
-- stream: incremental
SELECT x FROM a WHERE v > 50 OR EXISTS (SELECT 1 FROM b WHERE b.y = a.x);
-- change: the other stays
UPDATE a SET v = 10;
-- expect: nothing
-- answer: 1

-- title: trap B5: different rows are equal once projected
CREATE TABLE a (x INT, v INT);
CREATE TABLE b (y INT);
INSERT INTO a VALUES (1, 100);
-- stream: incremental
SELECT v FROM a WHERE v > 50 OR EXISTS (SELECT 1 FROM b WHERE b.y = a.x);
-- answer: 100
-- change: an equal one
INSERT INTO a VALUES (2, 100);
-- answer: 100 | 100

-- title: trap B6: EXISTS with HAVING crosses its threshold
CREATE TABLE a (x INT);
CREATE TABLE b (y INT, m INT);
INSERT INTO a VALUES (1);
INSERT INTO b VALUES (1, 60);
-- stream: incremental
SELECT x FROM a WHERE EXISTS (SELECT y FROM b WHERE b.y = a.x GROUP BY y HAVING SUM(m) > 100);
-- answer: nothing
-- change: it crosses
INSERT INTO b VALUES (1, 60);
-- answer: 1

-- title: trap B10: greater than all of nothing, and of NULL
CREATE TABLE a (x INT);
CREATE TABLE b (y INT);
INSERT INTO a VALUES (5);
INSERT INTO b VALUES (1), (NULL);
-- stream: incremental
SELECT x FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE (a.x > b.y) IS NOT TRUE);
-- answer: nothing
-- change: NULL goes
DELETE FROM b WHERE y IS NULL;
-- answer: 5

-- title: trap B11: NOT EXISTS with an inequality, both sides change
CREATE TABLE li (o INT, s INT, late BOOLEAN);
INSERT INTO li VALUES (1, 1, TRUE), (1, 2, FALSE);
-- stream: incremental
SELECT o, s FROM li x WHERE late AND EXISTS (SELECT 1 FROM li y WHERE y.o = x.o AND y.s <> x.s)
AND NOT EXISTS (SELECT 1 FROM li z WHERE z.o = x.o AND z.s <> x.s AND z.late);
-- answer: 1, 1
-- change: they swap
UPDATE li SET late = NOT late;
-- answer: 1, 2

-- title: semi and anti joins
CREATE TABLE a (x INT);
CREATE TABLE b (y INT);
INSERT INTO a VALUES (1), (2), (NULL);
INSERT INTO b VALUES (1), (1);
-- stream: incremental
SELECT 'with' AS how, x FROM a LEFT SEMI JOIN b ON x = y UNION ALL SELECT 'without', x FROM a LEFT ANTI JOIN b ON x = y;
-- answer: 'with', 1 | 'without', 2 | 'without', NULL
-- change: both
DELETE FROM b;
INSERT INTO b VALUES (2), (NULL);
-- answer: 'with', 2 | 'without', 1 | 'without', NULL

-- title: semi and anti joins keep copies and count matches
CREATE TABLE a (id INT, x INT);
CREATE TABLE b (y INT);
INSERT INTO a VALUES (1, 1), (1, 1), (2, 2), (3, NULL);
-- stream: incremental
SELECT 'with' AS how, id FROM a LEFT SEMI JOIN b ON x = y UNION ALL SELECT 'without', id FROM a LEFT ANTI JOIN b ON x = y;
-- answer: 'without', 1 | 'without', 1 | 'without', 2 | 'without', 3
-- change: two matches of one key come together
INSERT INTO b VALUES (1), (1), (NULL);
-- expect: - 'without', 1 | 'without', 1
-- expect: + 'with', 1 | 'with', 1
-- change: one of the two goes, and one of the copies
DELETE FROM b WHERE y = 1;
INSERT INTO b VALUES (1);
DELETE FROM a WHERE id = 1;
INSERT INTO a VALUES (1, 1);
-- expect: - 'with', 1
-- change: the match moves to another key as a row moves to the old one
UPDATE b SET y = 2 WHERE y = 1;
UPDATE a SET x = 1 WHERE id = 3;
-- answer: 'without', 1 | 'with', 2 | 'without', 3
-- change: a row comes with its match, another goes with its own
INSERT INTO a VALUES (4, 4), (5, 5);
INSERT INTO b VALUES (4);
DELETE FROM a WHERE id = 2;
DELETE FROM b WHERE y = 2;
-- answer: 'without', 1 | 'without', 3 | 'with', 4 | 'without', 5
-- change: everything on the right goes
DELETE FROM b;
-- answer: 'without', 1 | 'without', 3 | 'without', 4 | 'without', 5

-- title: semi and anti joins under <=>
CREATE TABLE a (id INT, x INT);
CREATE TABLE b (y INT);
INSERT INTO a VALUES (1, NULL), (2, 2);
-- stream: incremental
SELECT 'with' AS how, id FROM a LEFT SEMI JOIN b ON x <=> y UNION ALL SELECT 'without', id FROM a LEFT ANTI JOIN b ON x <=> y;
-- change: NULL
INSERT INTO b VALUES (NULL), (NULL);
INSERT INTO a VALUES (3, NULL);
-- answer: 'with', 1 | 'without', 2 | 'with', 3
-- change: both sides turn
UPDATE b SET y = 2;
UPDATE a SET x = NULL WHERE id = 2;
UPDATE a SET x = 2 WHERE id = 1;
-- answer: 'with', 1 | 'without', 2 | 'without', 3

-- title: semi and anti joins with residuals, bands and conditions on one side
CREATE TABLE a (id INT, k INT, x INT);
CREATE TABLE b (k INT, lo INT, hi INT);
INSERT INTO a VALUES (1, 1, 5), (2, 1, 50), (3, 2, 5), (4, NULL, 5), (5, 1, NULL);
INSERT INTO b VALUES (1, 0, 10);
-- stream: incremental
SELECT 'band' AS how, id FROM a LEFT SEMI JOIN b ON a.k = b.k AND x BETWEEN lo AND hi
UNION ALL SELECT 'no band', id FROM a LEFT ANTI JOIN b ON a.k = b.k AND x BETWEEN lo AND hi
UNION ALL SELECT 'less', id FROM a LEFT SEMI JOIN b ON x < lo
UNION ALL SELECT 'not less', id FROM a LEFT ANTI JOIN b ON x < lo
UNION ALL SELECT 'own', id FROM a LEFT SEMI JOIN b ON a.k = b.k AND x > 5 AND hi > 5
UNION ALL SELECT 'not own', id FROM a LEFT ANTI JOIN b ON a.k = b.k AND x > 5 AND hi > 5
UNION ALL SELECT 'any', id FROM a LEFT SEMI JOIN b ON TRUE
UNION ALL SELECT 'none', id FROM a LEFT ANTI JOIN b ON TRUE;
-- change: bands move, keys move
UPDATE b SET lo = 20, hi = 60;
INSERT INTO b VALUES (2, 5, 5), (NULL, 0, 100);
UPDATE a SET k = 1 WHERE id = 4;
-- change: values turn from NULL and to it
UPDATE a SET x = NULL WHERE id = 2;
UPDATE a SET x = 30 WHERE id = 5;
UPDATE b SET hi = NULL WHERE k = 2;
-- change: the right side empties as the left one doubles
DELETE FROM b;
INSERT INTO a VALUES (1, 1, 5), (2, 1, 50), (6, 6, 6);
-- change: both fill again
INSERT INTO b VALUES (1, 5, 5), (6, 0, 6);
DELETE FROM a WHERE k = 1 AND id = 1;

-- title: a chain of semi, anti and outer joins
CREATE TABLE a (id INT, k INT);
CREATE TABLE b (k INT);
CREATE TABLE c (k INT);
CREATE TABLE d (k INT, v STRING);
INSERT INTO a VALUES (1, 1), (2, 2), (3, 3);
INSERT INTO b VALUES (1), (2);
INSERT INTO c VALUES (2);
INSERT INTO d VALUES (1, 'x');
-- stream: incremental
SELECT a.id, d.v FROM a LEFT SEMI JOIN b ON a.k = b.k LEFT ANTI JOIN c ON a.k = c.k LEFT JOIN d ON a.k = d.k;
-- answer: 1, 'x'
-- change: every table but the first
INSERT INTO b VALUES (3);
UPDATE c SET k = 1;
INSERT INTO d VALUES (2, 'y'), (2, 'z');
-- answer: 2, 'y' | 2, 'z' | 3, NULL
-- change: every table
UPDATE a SET k = 1 WHERE id = 3;
DELETE FROM b WHERE k = 2;
DELETE FROM c;
UPDATE d SET v = 'X' WHERE k = 1;
-- answer: 1, 'X' | 3, 'X'

-- title: EXISTS and NOT EXISTS without correlation ask whether a table has rows
CREATE TABLE a (x INT);
CREATE TABLE b (y INT);
CREATE TABLE c (z INT);
INSERT INTO a VALUES (1), (1);
-- stream: incremental
SELECT 'b' AS how, x FROM a WHERE EXISTS (SELECT * FROM b WHERE y > 0)
UNION ALL SELECT 'no c', x FROM a WHERE NOT EXISTS (SELECT 1 FROM c)
UNION ALL SELECT 'either', x FROM a WHERE EXISTS (SELECT 1 FROM b) OR EXISTS (SELECT 1 FROM c);
-- answer: 'no c', 1 | 'no c', 1
-- change: a row that does not count, and one in the other
INSERT INTO b VALUES (-1);
INSERT INTO c VALUES (NULL);
-- answer: 'either', 1 | 'either', 1
-- change: it counts now
UPDATE b SET y = 1;
INSERT INTO a VALUES (2);
-- answer: 'b', 1 | 'b', 1 | 'b', 2 | 'either', 1 | 'either', 1 | 'either', 2
-- change: one for the other
DELETE FROM b;
INSERT INTO c VALUES (5);
-- answer: 'either', 1 | 'either', 1 | 'either', 2
-- change: neither
DELETE FROM c;
-- answer: 'no c', 1 | 'no c', 1 | 'no c', 2

-- title: EXISTS of an aggregate without GROUP BY is always true
CREATE TABLE a (x INT);
CREATE TABLE b (y INT);
INSERT INTO a VALUES (1), (2);
INSERT INTO b VALUES (1);
-- stream: incremental
SELECT 'always' AS how, x FROM a WHERE EXISTS (SELECT MAX(y) FROM b WHERE b.y = a.x)
UNION ALL SELECT 'never', x FROM a WHERE NOT EXISTS (SELECT COUNT(*) FROM b WHERE b.y = a.x)
UNION ALL SELECT 'having', x FROM a WHERE EXISTS (SELECT COUNT(*) FROM b WHERE b.y = a.x HAVING COUNT(*) = 0)
UNION ALL SELECT 'grouped', x FROM a WHERE EXISTS (SELECT COUNT(*) FROM b WHERE b.y = a.x GROUP BY y);
-- answer: 'always', 1 | 'always', 2 | 'having', 2 | 'grouped', 1
-- change: the match moves, a row comes
UPDATE b SET y = 2;
INSERT INTO a VALUES (3);
-- answer: 'always', 1 | 'always', 2 | 'always', 3 | 'having', 1 | 'having', 3 | 'grouped', 2

-- title: IN an aggregate without GROUP BY, which is 0 or NULL over nothing
CREATE TABLE a (x INT);
CREATE TABLE b (y INT, v INT);
INSERT INTO a VALUES (0), (1), (2);
INSERT INTO b VALUES (1, 1);
-- stream: incremental
SELECT 'count' AS how, x FROM a WHERE x IN (SELECT COUNT(*) FROM b WHERE b.y = a.x)
UNION ALL SELECT 'not count', x FROM a WHERE x NOT IN (SELECT COUNT(*) FROM b WHERE b.y = a.x)
UNION ALL SELECT 'max', x FROM a WHERE x IN (SELECT MAX(v) FROM b)
UNION ALL SELECT 'not max', x FROM a WHERE x NOT IN (SELECT MAX(v) FROM b);
-- answer: 'count', 0 | 'count', 1 | 'not count', 2 | 'max', 1 | 'not max', 0 | 'not max', 2
-- change: the counts change
INSERT INTO b VALUES (2, 0), (2, 2), (0, 0);
DELETE FROM b WHERE y = 1;
-- answer: 'not count', 0 | 'not count', 1 | 'count', 2 | 'not max', 0 | 'not max', 1 | 'max', 2
-- change: nothing to count
DELETE FROM b;
INSERT INTO a VALUES (NULL);
-- answer: 'count', 0 | 'not count', 1 | 'not count', 2

-- title: IN, with copies, NULL and a filter inside
CREATE TABLE a (x INT, v STRING);
CREATE TABLE b (y INT, ok BOOLEAN);
INSERT INTO a VALUES (1, 'a'), (1, 'a'), (2, 'b'), (NULL, 'n');
INSERT INTO b VALUES (1, TRUE), (1, TRUE), (2, FALSE), (NULL, TRUE);
-- stream: incremental
SELECT v FROM a WHERE x IN (SELECT y FROM b WHERE ok);
-- answer: 'a' | 'a'
-- change: one reason goes, another comes
DELETE FROM b WHERE y = 1;
INSERT INTO b VALUES (1, TRUE);
UPDATE b SET ok = TRUE WHERE y = 2;
-- expect: + 'b'
-- change: all reasons of one go while a copy comes
UPDATE b SET ok = NULL WHERE y = 1;
INSERT INTO a VALUES (1, 'a'), (2, 'c');
-- answer: 'b' | 'c'

-- title: IN over joins, unions, DISTINCT, aggregates and CTEs
CREATE TABLE a (x INT);
CREATE TABLE b (y INT, g INT);
CREATE TABLE c (g INT, n INT);
INSERT INTO a VALUES (1), (2), (3), (4);
INSERT INTO b VALUES (1, 1), (2, 1), (3, 2);
INSERT INTO c VALUES (1, 10), (2, 1);
-- stream: incremental
WITH big AS (SELECT g FROM c GROUP BY g HAVING SUM(n) > 5)
SELECT 'join' AS how, x FROM a WHERE x IN (SELECT b.y FROM b JOIN c ON b.g = c.g WHERE c.n > 5)
UNION ALL SELECT 'cte', x FROM a WHERE x IN (SELECT y FROM b WHERE g IN (SELECT g FROM big))
UNION ALL SELECT 'union', x FROM a WHERE x IN (SELECT y FROM b UNION SELECT n FROM c)
UNION ALL SELECT 'except', x FROM a WHERE x NOT IN (SELECT y FROM b EXCEPT SELECT n FROM c)
UNION ALL SELECT 'group', x FROM a WHERE x IN (SELECT COUNT(*) FROM b GROUP BY g)
UNION ALL SELECT 'distinct', x FROM a WHERE x NOT IN (SELECT DISTINCT y + g FROM b)
UNION ALL SELECT 'limit', x FROM a WHERE x IN (SELECT y FROM b ORDER BY y DESC LIMIT 1);
-- change: the groups swap
UPDATE c SET g = 3 - g;
INSERT INTO b VALUES (4, 2);
-- change: one group loses, one wins
INSERT INTO c VALUES (1, 5), (2, -8);
DELETE FROM b WHERE y = 4;
UPDATE a SET x = 5 WHERE x = 4;
-- change: a NULL in all of them
INSERT INTO b VALUES (NULL, NULL);
INSERT INTO c VALUES (NULL, 100);
-- change: nothing is left inside
DELETE FROM b;
DELETE FROM c;

-- title: IN and NOT IN that are correlated too
CREATE TABLE a (id INT, g STRING, x INT);
CREATE TABLE b (g STRING, y INT);
INSERT INTO a VALUES (1, 'p', 1), (2, 'p', 2), (3, 'q', 1), (4, 'q', NULL), (5, NULL, 1);
INSERT INTO b VALUES ('p', 1), ('q', 2);
-- stream: incremental
SELECT 'in' AS how, id FROM a WHERE x IN (SELECT y FROM b WHERE b.g = a.g)
UNION ALL SELECT 'not in', id FROM a WHERE x NOT IN (SELECT y FROM b WHERE b.g = a.g);
-- answer: 'in', 1 | 'not in', 2 | 'not in', 3 | 'not in', 5
-- change: a NULL comes to one group, the other empties
INSERT INTO b VALUES ('p', NULL);
DELETE FROM b WHERE g = 'q';
-- answer: 'in', 1 | 'not in', 3 | 'not in', 4 | 'not in', 5
-- change: the NULL moves to the other group, rows move too
UPDATE b SET g = 'q' WHERE y IS NULL;
UPDATE a SET g = 'p' WHERE id = 3;
-- answer: 'in', 1 | 'in', 3 | 'not in', 2 | 'not in', 5
-- change: the NULL gets a value, a NULL row moves
UPDATE b SET y = 5 WHERE y IS NULL;
UPDATE a SET g = NULL WHERE id = 4;
INSERT INTO a VALUES (6, 'q', 5);
-- answer: 'in', 1 | 'in', 3 | 'in', 6 | 'not in', 2 | 'not in', 4 | 'not in', 5

-- title: NOT IN, NULLs come and go on both sides, down to the empty set
CREATE TABLE a (id INT, x INT);
CREATE TABLE b (y INT);
INSERT INTO a VALUES (1, 1), (2, 2), (3, NULL), (3, NULL);
INSERT INTO b VALUES (2);
-- stream: incremental
SELECT id FROM a WHERE x NOT IN (SELECT y FROM b);
-- answer: 1
-- change: a row comes and a NULL comes
INSERT INTO a VALUES (4, 4);
INSERT INTO b VALUES (NULL), (NULL);
-- expect: - 1
-- change: one of two NULLs goes
DELETE FROM b;
INSERT INTO b VALUES (NULL);
-- answer: nothing
-- change: the last NULL becomes a value
UPDATE b SET y = 4;
UPDATE a SET x = 3 WHERE id = 2;
-- answer: 1 | 2
-- change: the set empties, NULLs are kept now
DELETE FROM b;
DELETE FROM a WHERE id = 1;
-- answer: 2 | 3 | 3 | 4
-- change: it fills with what is not there, NULLs are dropped
INSERT INTO b VALUES (99);
INSERT INTO a VALUES (5, NULL);
-- answer: 2 | 4

-- title: NOT IN of several columns
CREATE TABLE a (id INT, x INT, y INT);
CREATE TABLE b (x INT, y INT);
INSERT INTO a VALUES (1, 1, 1), (2, 1, 2), (3, 1, NULL), (4, NULL, 2), (5, NULL, NULL);
INSERT INTO b VALUES (1, 1);
-- stream: incremental
SELECT 'not in' AS how, id FROM a WHERE (x, y) NOT IN (SELECT x, y FROM b)
UNION ALL SELECT 'in', id FROM a WHERE (x, y) IN (SELECT x, y FROM b);
-- answer: 'in', 1 | 'not in', 2 | 'not in', 4
-- change: half a NULL
INSERT INTO b VALUES (1, NULL);
-- answer: 'in', 1
-- change: the other half
UPDATE b SET x = NULL, y = 9 WHERE y IS NULL;
INSERT INTO a VALUES (6, 6, 9), (7, 6, 8);
-- change: a whole NULL
INSERT INTO b VALUES (NULL, NULL);
-- answer: 'in', 1
-- change: none at all
DELETE FROM b;
-- answer: 'not in', 1 | 'not in', 2 | 'not in', 3 | 'not in', 4 | 'not in', 5 | 'not in', 6 | 'not in', 7

-- title: IN and EXISTS as values
CREATE TABLE a (id INT, x INT);
CREATE TABLE b (y INT);
INSERT INTO a VALUES (1, 1), (2, 2), (2, 2);
-- stream: incremental
SELECT id, x IN (SELECT y FROM b) AS is_in, x NOT IN (SELECT y FROM b) AS is_not_in, EXISTS (SELECT 1 FROM b WHERE y = x) AS does_exist FROM a;
-- answer: 1, FALSE, TRUE, FALSE | 2, FALSE, TRUE, FALSE | 2, FALSE, TRUE, FALSE
-- change: a value, twice
INSERT INTO b VALUES (1), (1);
-- answer: 1, TRUE, FALSE, TRUE | 2, FALSE, TRUE, FALSE | 2, FALSE, TRUE, FALSE
-- change: another for one of the two, and a row
DELETE FROM b;
INSERT INTO b VALUES (1), (2);
INSERT INTO a VALUES (4, 4);
-- answer: 1, TRUE, FALSE, TRUE | 2, TRUE, FALSE, TRUE | 2, TRUE, FALSE, TRUE | 4, FALSE, TRUE, FALSE
-- change: empty, as a row goes
DELETE FROM b;
DELETE FROM a WHERE id = 2;
-- answer: 1, FALSE, TRUE, FALSE | 4, FALSE, TRUE, FALSE

-- title: IN as a value is never NULL
-- lane: spark DuckDB gives NULL where it is unknown
CREATE TABLE a (id INT, x INT);
CREATE TABLE b (y INT);
INSERT INTO a VALUES (1, 1), (2, 2), (3, NULL);
-- stream: incremental
SELECT id, x IN (SELECT y FROM b) AS is_in, x NOT IN (SELECT y FROM b) AS is_not_in FROM a;
-- answer: 1, FALSE, TRUE | 2, FALSE, TRUE | 3, FALSE, TRUE
-- change: a value
INSERT INTO b VALUES (1), (1);
-- answer: 1, TRUE, FALSE | 2, FALSE, TRUE | 3, FALSE, FALSE
-- change: a NULL, and a row
INSERT INTO b VALUES (NULL);
INSERT INTO a VALUES (4, 1);
-- answer: 1, TRUE, FALSE | 2, FALSE, FALSE | 3, FALSE, FALSE | 4, TRUE, FALSE
-- change: the value goes, the NULL stays
DELETE FROM b WHERE y = 1;
UPDATE a SET x = 3 WHERE id = 3;
-- answer: 1, FALSE, FALSE | 2, FALSE, FALSE | 3, FALSE, FALSE | 4, FALSE, FALSE
-- change: empty
DELETE FROM b;
-- answer: 1, FALSE, TRUE | 2, FALSE, TRUE | 3, FALSE, TRUE | 4, FALSE, TRUE

-- title: NOT IN under OR, NOT and CASE
CREATE TABLE a (id INT, x INT, v INT);
CREATE TABLE b (y INT);
INSERT INTO a VALUES (1, 1, 0), (2, 2, 9), (3, NULL, 0), (4, 4, 0);
INSERT INTO b VALUES (1);
-- stream: incremental
SELECT 'or' AS how, id FROM a WHERE x NOT IN (SELECT y FROM b) OR v > 5
UNION ALL SELECT 'not', id FROM a WHERE NOT (x IN (SELECT y FROM b) OR v > 5)
UNION ALL SELECT 'not not', id FROM a WHERE NOT (x NOT IN (SELECT y FROM b))
UNION ALL SELECT 'case', id FROM a WHERE CASE WHEN x IN (SELECT y FROM b) THEN v = 0 ELSE v > 0 END;
-- change: NULL comes, a row turns
INSERT INTO b VALUES (NULL);
UPDATE a SET v = 6 WHERE id = 4;
-- change: NULL becomes a value as the first value goes
DELETE FROM b WHERE y = 1;
UPDATE b SET y = 4;
INSERT INTO a VALUES (5, 4, 0), (6, NULL, 7);
-- change: empty
DELETE FROM b;
UPDATE a SET v = 0;
-- change: full again
INSERT INTO b VALUES (2), (2), (NULL);
DELETE FROM a WHERE id = 1;

-- title: EXISTS as a value, in CASE and counted
CREATE TABLE c (id INT, name STRING);
CREATE TABLE o (cid INT, amount INT);
INSERT INTO c VALUES (1, 'Ann'), (2, 'Ben'), (3, 'Ben');
INSERT INTO o VALUES (1, 10), (1, 20);
-- stream: incremental
SELECT name, COUNT(*) AS n, SUM(CASE WHEN has THEN 1 ELSE 0 END) AS buyers FROM
(SELECT name, EXISTS (SELECT 1 FROM o WHERE o.cid = c.id AND o.amount > 5) AS has FROM c) z GROUP BY name;
-- answer: 'Ann', 1, 1 | 'Ben', 2, 0
-- change: one order of two goes, another customer buys
DELETE FROM o WHERE amount = 20;
INSERT INTO o VALUES (2, 6), (3, 5);
-- answer: 'Ann', 1, 1 | 'Ben', 2, 1
-- change: the last goes, the small one grows, a customer comes
DELETE FROM o WHERE cid = 1;
UPDATE o SET amount = 7 WHERE cid = 3;
INSERT INTO c VALUES (4, 'Ann');
-- answer: 'Ann', 2, 0 | 'Ben', 2, 2

-- title: EXISTS and IN in HAVING
CREATE TABLE a (g INT, v INT);
CREATE TABLE b (g INT, least INT);
INSERT INTO a VALUES (1, 5), (1, 5), (2, 3);
INSERT INTO b VALUES (1, 10), (2, 4);
-- stream: incremental
SELECT 'exists' AS how, g, SUM(v) AS s FROM a GROUP BY g HAVING EXISTS (SELECT 1 FROM b WHERE b.g = a.g)
UNION ALL SELECT 'in', g, SUM(v) FROM a GROUP BY g HAVING SUM(v) IN (SELECT least FROM b)
UNION ALL SELECT 'scalar', g, SUM(v) FROM a GROUP BY g HAVING SUM(v) >= (SELECT MIN(least) FROM b);
-- answer: 'exists', 1, 10 | 'exists', 2, 3 | 'in', 1, 10 | 'scalar', 1, 10
-- change: sums and thresholds cross
INSERT INTO a VALUES (2, 1), (3, 4);
UPDATE b SET least = 11 WHERE g = 1;
-- answer: 'exists', 1, 10 | 'exists', 2, 4 | 'in', 2, 4 | 'in', 3, 4 | 'scalar', 1, 10 | 'scalar', 2, 4 | 'scalar', 3, 4
-- change: a group goes from one, another from the other
DELETE FROM a WHERE g = 2;
DELETE FROM b WHERE g = 2;
INSERT INTO a VALUES (1, 1);
-- answer: 'exists', 1, 11 | 'in', 1, 11 | 'scalar', 1, 11

-- title: EXISTS inside EXISTS, the inner one tied to both levels
CREATE TABLE a (x INT, v INT);
CREATE TABLE b (x INT, y INT);
CREATE TABLE c (y INT, v INT);
INSERT INTO a VALUES (1, 5), (2, 5);
INSERT INTO b VALUES (1, 10), (2, 20);
INSERT INTO c VALUES (10, 6), (20, 1);
-- stream: incremental
SELECT x FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.x = a.x AND EXISTS (SELECT 1 FROM c WHERE c.y = b.y));
-- answer: 1 | 2
-- change: the innermost moves
UPDATE c SET y = 30 WHERE y = 20;
INSERT INTO b VALUES (2, 10), (3, 30);
-- expect: nothing
-- change: all three
DELETE FROM c WHERE y = 10;
INSERT INTO a VALUES (3, 0);
DELETE FROM b WHERE x = 1;
-- answer: 3

-- title: relational division: who has everything
CREATE TABLE person (name STRING);
CREATE TABLE skill (s STRING);
CREATE TABLE has (name STRING, s STRING);
INSERT INTO person VALUES ('Ann'), ('Ben');
INSERT INTO skill VALUES ('sql'), ('go');
INSERT INTO has VALUES ('Ann', 'sql'), ('Ann', 'go'), ('Ben', 'sql');
-- stream: incremental
SELECT name FROM person WHERE name NOT IN (SELECT p.name FROM person p CROSS JOIN skill k
LEFT JOIN has h ON h.name = p.name AND h.s = k.s WHERE h.name IS NULL);
-- answer: 'Ann'
-- change: one learns, the other forgets
INSERT INTO has VALUES ('Ben', 'go');
DELETE FROM has WHERE name = 'Ann' AND s = 'sql';
-- answer: 'Ben'
-- change: a skill goes, another comes, a person comes
UPDATE skill SET s = 'c' WHERE s = 'sql';
INSERT INTO has VALUES ('Ann', 'c');
INSERT INTO person VALUES ('Cat');
-- answer: 'Ann'
-- change: there are no skills
DELETE FROM skill;
-- answer: 'Ann' | 'Ben' | 'Cat'

-- title: rows with none greater in their group
CREATE TABLE t (id INT, g STRING, v INT);
INSERT INTO t VALUES (1, 'p', 1), (2, 'p', 5), (3, 'p', 5), (4, 'q', 1), (5, NULL, 1), (6, 'q', NULL);
-- stream: incremental
SELECT id FROM t x WHERE NOT EXISTS (SELECT 1 FROM t y WHERE y.g = x.g AND y.v > x.v);
-- answer: 2 | 3 | 4 | 5 | 6
-- change: one of two greatest goes, a greater one comes elsewhere
DELETE FROM t WHERE id = 2;
INSERT INTO t VALUES (7, 'q', 2), (8, NULL, 2);
-- answer: 3 | 5 | 6 | 7 | 8
-- change: the greatest moves to the other group
UPDATE t SET g = 'q' WHERE id = 3;
-- answer: 1 | 3 | 5 | 6 | 8

-- title: EXISTS whose condition reads only the rows around it
CREATE TABLE a (x INT, v INT);
CREATE TABLE b (y INT);
INSERT INTO a VALUES (1, 1), (2, 9);
-- stream: incremental
SELECT 'exists' AS how, x FROM a WHERE EXISTS (SELECT 1 FROM b WHERE a.v > 5)
UNION ALL SELECT 'not', x FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE a.v > 5);
-- answer: 'not', 1 | 'not', 2
-- change: both
INSERT INTO b VALUES (0), (0);
INSERT INTO a VALUES (3, 6);
-- answer: 'not', 1 | 'exists', 2 | 'exists', 3
-- change: a value falls as one of two rows goes
UPDATE a SET v = 0 WHERE x = 2;
DELETE FROM b;
INSERT INTO b VALUES (1);
-- answer: 'not', 1 | 'not', 2 | 'exists', 3

-- title: EXISTS and NOT EXISTS over two tables, with OR, AND and residuals
CREATE TABLE a (id INT, x INT);
CREATE TABLE b (x INT, n INT);
CREATE TABLE c (x INT, n INT);
INSERT INTO a VALUES (1, 1), (2, 2), (3, 3), (4, NULL);
INSERT INTO b VALUES (1, 5), (2, 5);
INSERT INTO c VALUES (2, 5), (3, 5);
-- stream: incremental
SELECT 'either' AS how, id FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.x = a.x) OR EXISTS (SELECT 1 FROM c WHERE c.x = a.x)
UNION ALL SELECT 'one', id FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.x = a.x) AND NOT EXISTS (SELECT 1 FROM c WHERE c.x = a.x)
UNION ALL SELECT 'differ', id FROM a WHERE (EXISTS (SELECT 1 FROM b WHERE b.x = a.x)) <> (EXISTS (SELECT 1 FROM c WHERE c.x = a.x))
UNION ALL SELECT 'more', id FROM a WHERE EXISTS (SELECT 1 FROM b JOIN c ON b.x = c.x AND b.n < c.n WHERE b.x = a.x AND c.n > a.id);
-- answer: 'either', 1 | 'either', 2 | 'either', 3 | 'one', 1 | 'differ', 1 | 'differ', 3
-- change: one reason for another
DELETE FROM b WHERE x = 1;
INSERT INTO c VALUES (1, 9), (2, 9);
UPDATE a SET x = 2 WHERE id = 4;
-- answer: 'either', 1 | 'either', 2 | 'either', 3 | 'either', 4 | 'differ', 1 | 'differ', 3 | 'more', 2 | 'more', 4
-- change: both reasons of one
DELETE FROM b WHERE x = 2;
DELETE FROM c WHERE x = 2;
UPDATE a SET x = NULL WHERE id = 1;
-- answer: 'either', 3 | 'differ', 3

-- title: semi joins below aggregates, and of aggregates
CREATE TABLE a (g STRING, x INT, v INT);
CREATE TABLE b (x INT);
INSERT INTO a VALUES ('p', 1, 1), ('p', 2, 2), ('q', 1, 4);
INSERT INTO b VALUES (1);
-- stream: incremental
SELECT g, SUM(v) AS s FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.x = a.x) GROUP BY g
HAVING SUM(v) IN (SELECT COUNT(*) + 3 * x FROM b GROUP BY x) OR g = 'p';
-- answer: 'p', 1 | 'q', 4
-- change: matches come, values change
INSERT INTO b VALUES (2), (2);
UPDATE a SET v = 8 WHERE g = 'q';
-- answer: 'p', 3 | 'q', 8
-- change: one goes
DELETE FROM b WHERE x = 1;
-- answer: 'p', 2
