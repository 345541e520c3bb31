/* block comment; with a semicolon */
SELECT 1; SELECT 2
  -- and a comment; here
  + 3; SELECT ';' AS "a;b", $$;$$, E'\';'
;
\set a 1 + \
   2
SELECT :a::int
\set b 3
SELECT :b::int;
