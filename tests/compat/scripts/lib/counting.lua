module("counting", package.seeall)

function up_to(last)
   local numbers = {}
   for number = 1, last do table.insert(numbers, number) end
   return numbers
end
