//! A Lua script's own options: declared in `sysbench.cmdline.options`, given behind `--`.

use super::general::{self, Answer, General};
use super::option_value::{self, Kind, value};
use mlua::{Function, Lua, Table, Value};
use std::collections::BTreeMap;

/// One option that the script declares.
pub struct Declared {
    description: String,
    default: Option<String>,
    kind: Kind,
    check: Option<Function>,
}

/// All of them by name; None when the script declares none, and thus takes any.
pub type Declarations = Option<BTreeMap<String, Declared>>;

/// Reads the script's declarations.
pub fn declarations(globals: &Table) -> mlua::Result<Declarations> {
    let sysbench: Table = globals.get("sysbench")?;
    let options: Value = sysbench.get::<Table>("cmdline")?.get("options")?;
    let Value::Table(options) = options else {
        return Ok(None);
    };
    let mut all = BTreeMap::new();
    for pair in options.pairs::<String, Table>() {
        let (name, definition) = pair?;
        let default: Value = definition.get(2)?;
        let kind = match definition.get::<Option<u8>>(3)? {
            Some(1) => Kind::Bool,
            Some(2) => Kind::Int,
            Some(3) => Kind::Size,
            Some(4) => Kind::Number,
            Some(6) => Kind::List,
            Some(7) => Kind::File,
            Some(_) => Kind::String,
            None => match default {
                Value::Boolean(_) => Kind::Bool,
                Value::Integer(_) | Value::Number(_) => Kind::Number,
                Value::Table(_) => Kind::List,
                _ => Kind::String,
            },
        };
        let declared = Declared {
            description: definition.get::<Option<String>>(1)?.unwrap_or_default(),
            default: written(&default)?,
            kind,
            check: definition.get(4)?,
        };
        all.insert(name.replace('-', "_"), declared);
    }
    Ok(Some(all))
}

/// A default as one would write it on the command line.
fn written(value: &Value) -> mlua::Result<Option<String>> {
    Ok(match value {
        Value::Nil => None,
        Value::Boolean(value) => Some(if *value { "on" } else { "off" }.to_string()),
        Value::Table(list) => {
            let items: mlua::Result<Vec<String>> = list.sequence_values::<String>().collect();
            Some(items?.join(","))
        }
        other => Some(other.to_string()?),
    })
}

/// The listing of a script's options.
pub fn help(script: &str, declarations: &Declarations) -> String {
    let Some(all) = declarations else {
        return format!("{script} declares no options\n");
    };
    let mut text = format!("options of {script}, behind `--`:\n");
    for (name, declared) in all {
        let form = match declared.kind {
            Kind::Bool => "[=on|off]",
            Kind::Int | Kind::Number => "=N",
            Kind::Size => "=SIZE",
            Kind::String => "=STRING",
            Kind::File => "=FILE",
            Kind::List => "=[LIST,...]",
        };
        let option = format!("--{}{form}", name.replace('_', "-"));
        let default = match &declared.default {
            Some(value) => format!(" [{value}]"),
            None => String::new(),
        };
        text += &format!("  {option:<32} {}{default}\n", declared.description);
    }
    text
}

/// Fills `sysbench.opt` with defaults and what was given; all that cannot be taken is reported together.
pub fn fill(
    lua: &Lua,
    into: &Table,
    declarations: &Declarations,
    given: &BTreeMap<String, String>,
) -> Result<General, String> {
    let broken = |error: mlua::Error| error.to_string();
    let mut general = General::default();
    let (mut elsewhere, mut unknown) = (Vec::new(), Vec::new());
    for (name, declared) in declarations.iter().flatten() {
        let value = match declared.default.as_deref() {
            None | Some("") => option_value::empty(lua, declared.kind).map_err(broken)?,
            Some(default) => value(lua, declared.kind, name, default)?,
        };
        into.raw_set(name.as_str(), value).map_err(broken)?;
    }
    for (name, text) in given {
        let (name, text) = (&name.replace('-', "_"), text.as_str());
        let dashed = format!("--{}", name.replace('_', "-"));
        if let Some(declared) = declarations.as_ref().and_then(|all| all.get(name)) {
            checked(declared, name, text)?;
            let value = value(lua, declared.kind, name, text)?;
            into.raw_set(name.as_str(), value).map_err(broken)?;
            continue;
        }
        match general::take(lua, into, &mut general, name, text)? {
            Answer::Taken => {}
            Answer::Instead(instead) => elsewhere.push(format!("{dashed} ({instead})")),
            Answer::Unknown if declarations.is_some() => unknown.push(dashed),
            Answer::Unknown => {
                let value = value(lua, Kind::String, name, text)?;
                into.raw_set(name.as_str(), value).map_err(broken)?;
            }
        }
    }
    let mut problems = Vec::new();
    if let (false, Some(all)) = (unknown.is_empty(), declarations) {
        let names = all
            .keys()
            .map(|name| format!("--{}", name.replace('_', "-")));
        let names: Vec<String> = names.collect();
        let (unknown, names) = (unknown.join(", "), names.join(", "));
        problems.push(format!(
            "the script has no option {unknown}; it has {names}"
        ));
    }
    if !elsewhere.is_empty() {
        let elsewhere = elsewhere.join(", ");
        problems.push(format!(
            "sysbench has other options than this program: {elsewhere}"
        ));
    }
    match problems.is_empty() {
        true => Ok(general),
        false => Err(problems.join(". ")),
    }
}

fn checked(declared: &Declared, name: &str, text: &str) -> Result<(), String> {
    let Some(check) = &declared.check else {
        return Ok(());
    };
    match check.call::<Value>((name, text)) {
        Ok(Value::Nil | Value::Boolean(false)) => Err(format!(
            "--{}: the script refuses '{text}'",
            name.replace('_', "-")
        )),
        Ok(_) => Ok(()),
        Err(error) => Err(format!("--{}: {error}", name.replace('_', "-"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use workloads::distribution::Shape;

    fn given(text: &str) -> BTreeMap<String, String> {
        let words = text.split_whitespace();
        let pairs = words.map(|word| word.split_once('=').unwrap());
        pairs
            .map(|(name, value)| (name.into(), value.into()))
            .collect()
    }

    fn declared(lua: &Lua, table: &str) -> Declarations {
        let globals = lua.create_table().unwrap();
        let made: Table = lua
            .load(format!("{{cmdline = {{options = {table}}}}}"))
            .eval()
            .unwrap();
        globals.set("sysbench", made).unwrap();
        declarations(&globals).unwrap()
    }

    const OPTIONS: &str = "{ rows = {'Rows', 10}, on_it = {'Whether', true}, none = {'Nothing'},
        list = {'Some', {'a', 'b'}}, big = {'Bytes', '1K', 3}, whole = {'Whole', 5, 2},
        even = {'Even', 2, 4, function(name, value) return tonumber(value) % 2 == 0 end} }";

    /// The interpreter as well, as the table lives in it.
    fn filled(text: &str) -> Result<(Lua, Table), String> {
        let lua = Lua::new();
        let table = lua.create_table().unwrap();
        fill(&lua, &table, &declared(&lua, OPTIONS), &given(text))?;
        Ok((lua, table))
    }

    #[test]
    fn defaults_and_given_values_have_types() {
        let (_lua, table) = filled("rows=5 on-it=off list=x,y,z big=2M").unwrap();
        assert_eq!(table.get::<f64>("rows").unwrap(), 5.0);
        assert!(!table.get::<bool>("on_it").unwrap());
        assert_eq!(table.get::<String>("none").unwrap(), "");
        assert_eq!(table.get::<Table>("list").unwrap().raw_len(), 3);
        assert_eq!(table.get::<f64>("big").unwrap(), 2_097_152.0);
        assert_eq!(table.get::<f64>("even").unwrap(), 2.0);
        let (_lua, table) = filled("on_it=on").unwrap();
        assert!(table.get::<bool>("on_it").unwrap());
    }

    #[test]
    fn options_without_a_default_have_the_empty_value_of_their_type() {
        let lua = Lua::new();
        let table = lua.create_table().unwrap();
        let options = "{ flag = {'Whether', nil, 1}, n = {'Whole', nil, 2}, size = {'Bytes', nil, 3},
            x = {'Number', nil, 4}, text = {'Text'}, list = {'Some', nil, 6}, file = {'File', nil, 7},
            k = {'Whole', '', 2} }";
        fill(&lua, &table, &declared(&lua, options), &BTreeMap::new()).unwrap();
        assert!(table.get::<bool>("flag").unwrap());
        for name in ["n", "size", "x", "k"] {
            assert_eq!(table.get::<f64>(name).unwrap(), 0.0, "{name}");
        }
        assert_eq!(table.get::<String>("text").unwrap(), "");
        assert_eq!(table.get::<Table>("list").unwrap().raw_len(), 0);
        assert_eq!(table.get::<Value>("file").unwrap(), Value::Nil);
    }

    #[test]
    fn wrong_values_are_refused() {
        let expected = [
            ("rows=x", "--rows: expected a number, found 'x'"),
            ("whole=1.5", "--whole: expected a whole number"),
            ("on-it=maybe", "--on-it: expected on or off"),
            ("big=1X", "--big: expected a size"),
            ("even=3", "--even: the script refuses '3'"),
            ("row=1", "the script has no option --row; it has --big,"),
            (
                "num-threads=8 histogram=on rand-type=uniform",
                "sysbench has other options than this program: --histogram (use --out DIR, which has the \
                 histogram in latency.hlog), --num-threads (use --connections N)",
            ),
            ("db-ps-mode=never", "--db-ps-mode: expected auto or disable"),
            ("rand-type=x", "--rand-type: expected special,"),
        ];
        for (text, message) in expected {
            let found = filled(text).unwrap_err();
            assert!(found.starts_with(message), "{text}: {found}");
        }
    }

    #[test]
    fn scripts_without_declarations_take_anything() {
        let lua = Lua::new();
        let table = lua.create_table().unwrap();
        let given = given("oltp-tables=3 rand-type=uniform");
        let general = fill(&lua, &table, &None, &given).unwrap();
        assert_eq!(table.get::<String>("oltp_tables").unwrap(), "3");
        assert_eq!(general.distribution.distribution, Shape::Uniform);
    }

    #[test]
    fn the_listing_names_all() {
        let lua = Lua::new();
        let text = help("a.lua", &declared(&lua, OPTIONS));
        assert!(
            text.contains("--on-it[=on|off]") && text.contains("Rows [10]"),
            "{text}"
        );
    }
}
