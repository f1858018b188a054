-- title: 1: the entity's row is made anew in the same region
CREATE TABLE entity (id INT, region INT, name STRING);
CREATE TABLE region (id INT, label STRING);
INSERT INTO entity VALUES (1, 10, 'fox');
INSERT INTO region VALUES (10, 'wood'), (20, 'field');
-- stream: incremental
SELECT e.id, e.name, r.label FROM entity e JOIN region r ON e.region = r.id;
-- answer: 1, 'fox', 'wood'
-- change: out and in with the same values
DELETE FROM entity WHERE id = 1;
INSERT INTO entity VALUES (1, 10, 'fox');
-- expect: nothing

-- title: 2: the entity moves to another region
CREATE TABLE entity (id INT, region INT, name STRING);
CREATE TABLE region (id INT, label STRING);
INSERT INTO entity VALUES (1, 10, 'fox');
INSERT INTO region VALUES (10, 'wood'), (20, 'field');
-- stream: incremental
SELECT e.id, e.name, r.label FROM entity e JOIN region r ON e.region = r.id;
-- change: it moves
UPDATE entity SET region = 20 WHERE id = 1;
-- expect: - 1, 'fox', 'wood'
-- expect: + 1, 'fox', 'field'

-- title: 3: the region changes below the entity
CREATE TABLE entity (id INT, region INT, name STRING);
CREATE TABLE region (id INT, label STRING);
INSERT INTO entity VALUES (1, 10, 'fox');
INSERT INTO region VALUES (10, 'wood');
-- stream: incremental
SELECT e.id, e.name, r.label FROM entity e JOIN region r ON e.region = r.id;
-- change: another label
UPDATE region SET label = 'forest' WHERE id = 10;
-- expect: - 1, 'fox', 'wood'
-- expect: + 1, 'fox', 'forest'

-- title: 4: both change at once
CREATE TABLE entity (id INT, region INT, name STRING);
CREATE TABLE region (id INT, label STRING);
INSERT INTO entity VALUES (1, 10, 'fox');
INSERT INTO region VALUES (10, 'wood');
-- stream: incremental
SELECT e.id, e.name, r.label FROM entity e JOIN region r ON e.region = r.id;
-- change: a name and a label
UPDATE entity SET name = 'vixen' WHERE id = 1;
UPDATE region SET label = 'forest' WHERE id = 10;
-- expect: - 1, 'fox', 'wood'
-- expect: + 1, 'vixen', 'forest'

-- title: 5: the entity leaves the region that comes
CREATE TABLE entity (id INT, region INT, name STRING);
CREATE TABLE region (id INT, label STRING);
INSERT INTO entity VALUES (1, 10, 'fox');
-- stream: incremental
SELECT e.id, e.name, r.label FROM entity e JOIN region r ON e.region = r.id;
-- change: they miss each other
UPDATE entity SET region = 20 WHERE id = 1;
INSERT INTO region VALUES (10, 'wood');
-- expect: nothing

-- title: 6: the entity moves and the region it left goes
CREATE TABLE entity (id INT, region INT, name STRING);
CREATE TABLE region (id INT, label STRING);
INSERT INTO entity VALUES (1, 10, 'fox');
INSERT INTO region VALUES (10, 'wood'), (20, 'field');
-- stream: incremental
SELECT e.id, e.name, r.label FROM entity e JOIN region r ON e.region = r.id;
-- change: both
UPDATE entity SET region = 20 WHERE id = 1;
DELETE FROM region WHERE id = 10;
-- expect: - 1, 'fox', 'wood'
-- expect: + 1, 'fox', 'field'

-- title: 7: the entity changes and its region goes
CREATE TABLE entity (id INT, region INT, name STRING);
CREATE TABLE region (id INT, label STRING);
INSERT INTO entity VALUES (1, 10, 'fox');
INSERT INTO region VALUES (10, 'wood');
-- stream: incremental
SELECT e.id, e.name, r.label FROM entity e JOIN region r ON e.region = r.id;
-- change: the row that goes is the one that was there, once
UPDATE entity SET name = 'vixen' WHERE id = 1;
DELETE FROM region WHERE id = 10;
-- expect: - 1, 'fox', 'wood'

-- title: 8: the entity and its region come together and go together
CREATE TABLE entity (id INT, region INT, name STRING);
CREATE TABLE region (id INT, label STRING);
-- stream: incremental
SELECT e.id, e.name, r.label FROM entity e JOIN region r ON e.region = r.id;
-- change: they come
INSERT INTO entity VALUES (1, 10, 'fox');
INSERT INTO region VALUES (10, 'wood');
-- expect: + 1, 'fox', 'wood'
-- change: they go
DELETE FROM entity;
DELETE FROM region;
-- expect: - 1, 'fox', 'wood'
