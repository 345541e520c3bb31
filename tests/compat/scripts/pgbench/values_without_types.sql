-- as literals these have types; untyped parameters would be texts, or an error
\set a 9
\set b 10
\set half 0.5
SELECT :a + :b;
SELECT jsonb_build_object('a', :a);
INSERT INTO taken SELECT CASE WHEN :a < :b THEN 'less' ELSE 'more' END, round(:half, 0) FROM generate_series(1, :b - :a);
