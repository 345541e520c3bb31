-- the server sees the pauses within the transaction
\set wait random(1, 3)
BEGIN;
SELECT abalance FROM pgbench_accounts WHERE aid = 1;
\sleep :wait ms
\SLEEP 500 US
INSERT INTO taken SELECT 'waited', case when clock_timestamp() - now() >= interval '1.5 ms' then 1 else 0 end;
COMMIT;
\sleep 1 ms
