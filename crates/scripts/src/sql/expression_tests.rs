use super::*;
use crate::sql::parser::parse;
use base::rng::Rng;
use proptest::prelude::*;

fn value_of(text: &str) -> Result<Value, String> {
    let names = ["x", "t", "of"];
    let expression = parse(text, &mut |name| {
        names.iter().position(|known| *known == name)
    });
    let expression =
        expression.map_err(|mistake| format!("{}: {}", mistake.at, mistake.message))?;
    let [yes, no] = ["t", "of"].map(|text| Value::Text(text.to_string()));
    expression.value(&[Value::Int(7), yes, no], &mut Rng::new(1, 1))
}

#[test]
fn operators_bind_as_in_sql() {
    let expected = [
        ("1 + 2 * 3", Value::Int(7)),
        ("(1 + 2) * 3", Value::Int(9)),
        ("10 - 3 - 2", Value::Int(5)),
        ("7 / 2", Value::Int(3)),
        ("-7 % 4", Value::Int(-3)),
        ("7 / 2.0", Value::Double(3.5)),
        ("- - :x", Value::Int(7)),
        ("-9223372036854775808 + 1", Value::Int(i64::MIN + 1)),
        ("2e3", Value::Double(2000.0)),
        ("1.5E+1 + 1", Value::Double(16.0)),
        ("1 < 2 and not 2 < 1", Value::Bool(true)),
        ("not 1 = 2 or false", Value::Bool(true)),
        ("null = 1", Value::Null),
        // The values of these are pgbench 18.6's.
        ("null and false", Value::Null),
        ("null or true", Value::Null),
        ("false and null", Value::Bool(false)),
        ("int(2.5)", Value::Int(2)),
        ("int(3.5)", Value::Int(4)),
        ("int(-2.7)", Value::Int(-3)),
        ("1 << 3 | 1 + 2 # 5", Value::Int(14)),
        ("~ 1 + 2", Value::Int(-4)),
        ("5 & ~1", Value::Int(4)),
        ("1 | ~3 & 5", Value::Int(5)),
        ("2 * ~1 + 2", Value::Int(-8)),
        ("8 >> 1 << 2", Value::Int(16)),
        ("6 & 3 # 1", Value::Int(3)),
        (
            "case when 1 > 2 then 1 when null then 2 else 3.5 end",
            Value::Double(3.5),
        ),
        ("case when 1 > 2 then 1 end", Value::Null),
        ("null is null", Value::Bool(true)),
        ("1 is not null", Value::Bool(true)),
        ("null isnull", Value::Bool(true)),
        ("1 notnull", Value::Bool(true)),
        ("not 1 is null", Value::Bool(true)),
        ("1 = 1 is true", Value::Bool(true)),
        ("2 is true", Value::Bool(false)),
        ("0 is not false", Value::Bool(true)),
        (":t and not :of", Value::Bool(true)),
        (":t is true", Value::Bool(true)),
        ("least(1, 2.5)", Value::Double(1.0)),
        ("hash(1, 5)", Value::Int(3_896_754_574_207_142_840)),
        (
            "hash_fnv1a(123456789, 5)",
            Value::Int(3_419_535_723_469_586_336),
        ),
        ("hash_fnv1a(-7, 0)", Value::Int(-4_637_405_028_990_054_917)),
        (
            "hash_murmur2(-7, -9)",
            Value::Int(2_560_452_158_316_928_773),
        ),
        ("permute(0, 10, 42)", Value::Int(1)),
        ("permute(9, 10, 42)", Value::Int(2)),
        ("permute(12345, 1000000, -42)", Value::Int(227_584)),
        ("permute(1, 2, 7)", Value::Int(1)),
        ("permute(2, 3, 7)", Value::Int(1)),
        ("permute(7, 1, 7)", Value::Int(0)),
        (
            "permute(5, 9223372036854775807, 7)",
            Value::Int(6_063_371_359_399_208_705),
        ),
        ("1 + null", Value::Null),
        ("abs(-5)", Value::Int(5)),
        ("greatest(1, 5, 3) + least(2, 0.5)", Value::Double(5.5)),
        ("int(3.99)", Value::Int(4)),
        ("double(3)", Value::Double(3.0)),
        ("mod(17, 5)", Value::Int(2)),
        ("power(2, 10)", Value::Double(1024.0)),
        ("RANDOM(4, 4)", Value::Int(4)),
    ];
    for (text, value) in expected {
        assert_eq!(value_of(text), Ok(value), "{text}");
    }
}

#[test]
fn what_cannot_be_reckoned_is_told() {
    let expected = [
        ("1 / 0", "division by zero"),
        ("9223372036854775807 + 1", "beyond 64 bits"),
        ("abs(-9223372036854775807 - 1)", "beyond 64 bits"),
        ("random(5, 1)", "no number from 5 to 1"),
        ("random_zipfian(1, 10, 1)", "from 1.001 to 1000"),
        ("random_gaussian(1, 10, 1)", "from 2 to"),
        ("true + 1", "cannot reckon with a truth value"),
        ("1 << 64", "no shift by 64 bits"),
        ("permute(1, 0, 1)", "the size must be above 0"),
    ];
    for (text, message) in expected {
        assert!(value_of(text).unwrap_err().contains(message), "{text}");
    }
}

#[test]
fn debug_is_left_out_where_nobody_watches() {
    let read = |text: &str| parse(text, &mut |_| None).unwrap();
    let reported = "case when debug(1) = 1 then -debug(debug(2) + 3) else debug(4) end is null";
    let silent = "case when 1 = 1 then -(2 + 3) else 4 end is null";
    assert_eq!(read(reported).silent(), read(silent));
}

#[test]
fn mistakes_have_a_place() {
    let expected = [
        ("1 +", "3: expected a number"),
        ("1 2", "2: expected an operator"),
        ("1 is 2", "5: expected NULL, TRUE or FALSE"),
        ("case 1 end", "5: expected WHEN"),
        ("(1", "2: expected ')'"),
        (":y", "0: no variable 'y'"),
        ("randm(1, 2)", "0: no function 'randm'; there are abs"),
        ("1 + random(1)", "4: random takes 2 arguments, found 1"),
        ("12abc", "0: '12abc' is not a number"),
        ("abs 1", "4: expected '('"),
    ];
    for (text, message) in expected {
        let found = value_of(text).unwrap_err();
        assert!(found.starts_with(message), "{text}: {found}");
    }
    let deep = format!("{}1{}", "(".repeat(100_000), ")".repeat(100_000));
    assert!(value_of(&deep).unwrap_err().contains("too deeply"));
    let long = format!("1{}", "+1".repeat(100_000));
    assert!(value_of(&long).unwrap_err().contains("too deeply"));
}

proptest! {
    #[test]
    fn survives_any_text(text in ".{0,40}|[0-9a-z:(),+*/%.<>=|&#~ -]{0,60}|(case |when |then |else |end |is |not |null |1 |<< ){0,20}") {
        let _ = value_of(&text);
    }

    #[test]
    fn reckons_as_rust_does(a in -1000i64..1000, b in -1000i64..1000, c in 1i64..1000) {
        let expected = a + b * (a - b) / c - a % c;
        prop_assert_eq!(
            value_of(&format!("{a} + {b} * ({a} - {b}) / {c} - {a} % {c}")),
            Ok(Value::Int(expected))
        );
    }
}
