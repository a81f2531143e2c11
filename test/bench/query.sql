-- A few hundred thousand rows, indexes, groups and joins: an allocation per row and per text.
CREATE TABLE reading(id INTEGER PRIMARY KEY, station INT, label TEXT, degrees REAL);
WITH RECURSIVE counter(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counter WHERE n < 120000)
INSERT INTO reading
SELECT n, n * 6151 % 4093, 'station ' || n % 89 || ' reading ' || n, n / 7.0 - n / 11 FROM counter;
CREATE INDEX by_station ON reading(station);
CREATE INDEX by_label ON reading(label);
SELECT count(*), round(avg(degrees), 3) FROM reading WHERE station BETWEEN 500 AND 1500;
SELECT station, count(*), length(group_concat(label)) FROM reading GROUP BY station
 ORDER BY count(*) DESC, station LIMIT 5;
SELECT count(*) FROM reading AS a JOIN reading AS b ON a.station = b.id WHERE a.label LIKE '%9';
SELECT sum(length(replace(upper(label), 'READING', label))) FROM reading;
