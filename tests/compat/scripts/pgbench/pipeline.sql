\set aid :client_id + 1
\startpipeline
BEGIN;
UPDATE pgbench_accounts SET abalance = abalance + 1 WHERE aid = :aid;
INSERT INTO taken SELECT 'pipeline', abalance FROM pgbench_accounts WHERE aid = :aid;
\set more :aid + 1
UPDATE pgbench_accounts SET abalance = abalance + 1 WHERE aid = :more;
COMMIT;
\syncpipeline
SELECT 1;
\endpipeline
