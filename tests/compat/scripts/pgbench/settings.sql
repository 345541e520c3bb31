-- a setting takes no parameter
\set limit 5000 + :client_id
BEGIN;
SET LOCAL statement_timeout = :limit;
DECLARE accounts CURSOR FOR SELECT aid FROM pgbench_accounts WHERE aid <= :limit;
FETCH 5 FROM accounts;
INSERT INTO taken SELECT 'limit', extract(epoch FROM current_setting('statement_timeout')::interval) * 1000;
END;
