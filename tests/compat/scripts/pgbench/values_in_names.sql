\set n random(1, 3)
CREATE TEMP TABLE IF NOT EXISTS mine_:client_id (id int, note text);
INSERT INTO mine_:client_id VALUES (:n, 'note :n of :client_id');
SELECT count(*) FROM mine_:client_id WHERE note = 'note ' || :n || ' of :client_id';
