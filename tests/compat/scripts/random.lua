-- All of sysbench's random numbers.
function thread_init()
   con = sysbench.sql.driver():connect()
end

function event()
   local rand = sysbench.rand
   for _, name in ipairs({"default", "uniform", "gaussian", "special", "pareto"}) do
      local number = rand[name](5, 9)
      assert(number >= 5 and number <= 9, name)
   end
   assert(rand.unique() >= 0 and rand.uniform_double() < 1)
   assert(rand.uniform_uint64() >= 0ULL and #rand.string("##-@@") == 5)
   assert(sb_rand(1, 1) == 1 and sb_rand_uniq(1, 4294967295) >= 1 and sb_rnd() >= 0)
   con:query("SELECT 1")
end
