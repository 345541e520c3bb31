-- the same values in both programs: nothing is drawn
\set r 17
\set kind case when :r < 10 then 1 when :r < 20 or :r is null then 2 else 3 end
\set bits ((:r & 15) | 16) # 3
\set flipped :r & ~3 | 64
\set shifted (:bits << 2) >> 1
\set x greatest(1, least(:r, 50)) + int(sqrt(17)) + mod(:r, 7) + int(pow(2, 3)) + int(2.5)
\set h hash(:r, 5) % 1000 + hash_fnv1a(:r, 5) % 1000 + permute(:r, 1000, 7)
\set null null
\set logic not (false or true and not 1 is null)
\set d 1.0 / 3 + :r
\if :kind = 1 or :kind is null
INSERT INTO taken VALUES ('wrong', 0);
\elif :kind = 2 and not :bits = 0
INSERT INTO taken VALUES ('kind', :kind), ('bits', :bits), ('flipped', :flipped), ('shifted', :shifted), ('x', :x), ('h', :h), ('d', :d);
\else
INSERT INTO taken VALUES ('wrong', 1);
\endif
INSERT INTO taken VALUES ('null', :null), ('logic', case when :logic then 1 else 0 end);
