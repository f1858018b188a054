-- title: NULL written out beside a float, in DISTINCT, EXCEPT and groups
-- lane: spark only there NULL written out has a type of its own
CREATE TABLE a (id INT, f DOUBLE);
CREATE TABLE b (id INT, f DOUBLE);
INSERT INTO a VALUES (1, double('NaN')), (2, 0.0D), (3, -0.0D), (4, NULL), (5, 1.5D);
INSERT INTO b VALUES (1, double('NaN')), (2, 0.0D);
-- stream: incremental
SELECT g.f, g.n, b.id FROM (SELECT f, COUNT(*) AS n FROM a GROUP BY f) g LEFT JOIN b ON b.f = g.f
UNION ALL (SELECT f, -1, NULL FROM a EXCEPT SELECT f, -1, NULL FROM b)
UNION ALL SELECT DISTINCT f, -2, NULL FROM a;
-- change: one of two zeros goes, a NaN comes, and one that kept a row away goes
DELETE FROM a WHERE id = 2;
INSERT INTO a VALUES (6, double('NaN'));
DELETE FROM b WHERE id = 1;
-- change: the last zero goes, and a NaN
DELETE FROM a WHERE id IN (1, 3);
UPDATE b SET f = 1.5D WHERE id = 2;

-- title: NULL written out on both sides of outer joins
-- lane: spark only there NULL written out has a type of its own
CREATE TABLE a (id INT, k INT);
CREATE TABLE b (id INT, k INT);
INSERT INTO a VALUES (1, 1), (2, 1), (3, 2), (4, NULL);
INSERT INTO b VALUES (1, 1), (2, 3);
-- stream: incremental
SELECT l.id, r.id AS other, coalesce(l.nothing, r.nothing, 0) AS none FROM (SELECT id, k, NULL AS nothing FROM a) l
FULL JOIN (SELECT DISTINCT id, k, NULL AS nothing FROM b) r ON l.k = r.k;
-- change: a match goes and another comes
DELETE FROM b WHERE id = 1;
INSERT INTO b VALUES (3, 2), (4, 2);
UPDATE a SET k = 3 WHERE id = 2;
-- change: all of one side goes
DELETE FROM b;
INSERT INTO a VALUES (5, 3);

-- title: NULL written out that the answer shows
-- lane: spark only there NULL written out has a type of its own
CREATE TABLE a (id INT, k INT);
INSERT INTO a VALUES (1, 1), (2, 1), (3, 2), (4, NULL);
-- stream: full INCOMPARABLE
SELECT k, NULL AS nothing FROM a UNION ALL SELECT DISTINCT k, NULL FROM a;
-- change: one of two copies goes, the last of another, and one comes
DELETE FROM a WHERE id IN (1, 3);
INSERT INTO a VALUES (5, NULL), (6, 7);
-- change: all go
DELETE FROM a;

-- title: NULL written out in a key that the answer shows
-- lane: spark only there NULL written out has a type of its own
CREATE TABLE a (id INT, k INT);
INSERT INTO a VALUES (1, 1), (2, 1), (3, 2), (4, NULL);
-- stream: full INCOMPARABLE
SELECT k, NULL AS nothing, count(*) AS n FROM a GROUP BY k, nothing;
-- change: a group shrinks, another goes, and one comes
DELETE FROM a WHERE id IN (1, 3);
INSERT INTO a VALUES (5, NULL), (6, 7);
-- change: all go
DELETE FROM a;
