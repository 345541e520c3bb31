//! Connection strings: `KEYWORD=value;KEYWORD={value with ; in it};…`. Within braces a brace that closes is
//! written twice. Keywords are read without regard to case.
//!
//! Source: Microsoft, ODBC Programmer's Reference, "SQLDriverConnect Function".

/// Names under which drivers take the password.
const PASSWORDS: [&str; 2] = ["pwd", "password"];
/// What stands in names of secrets, of which drivers have more (NewPWD, SSLKeyPassword).
const SECRETS: [&str; 4] = ["pass", "pwd", "secret", "token"];

/// The pairs of a connection string in their order; texts as they are written there, with their braces.
fn pairs(text: &str) -> Vec<(&str, &str)> {
    let mut pairs = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let Some((keyword, behind)) = rest.split_once('=') else {
            pairs.push((rest, ""));
            break;
        };
        let keyword = keyword.trim_start_matches([';', ' ']);
        let end = value_end(behind);
        pairs.push((keyword.trim(), &behind[..end]));
        rest = behind[end..].strip_prefix(';').unwrap_or(&behind[end..]);
    }
    pairs
}

/// Where a value ends: at a semicolon that is not within braces.
fn value_end(text: &str) -> usize {
    let mut quoted = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' if text[..at].trim().is_empty() => quoted = true,
            // written twice it closes and, as it were, opens again
            b'}' => quoted = !quoted && at > 0 && text.as_bytes()[at - 1] == b'}',
            b';' if !quoted => return at,
            _ => {}
        }
    }
    text.len()
}

fn is_password(keyword: &str) -> bool {
    PASSWORDS.contains(&keyword.to_ascii_lowercase().as_str())
}

/// Whether a keyword, or an option within a value such as psqlODBC's `pqopt={password=...}`, may be a secret.
fn is_secret(keyword: &str, value: &str) -> bool {
    let within = keyword.eq_ignore_ascii_case("pqopt").then_some(value);
    let words = [Some(keyword), within];
    words.into_iter().flatten().any(|words| {
        let words = words.to_ascii_lowercase();
        SECRETS.iter().any(|secret| words.contains(secret))
    })
}

/// The string without its password, as it may be shown.
pub fn redacted(text: &str) -> String {
    let shown = pairs(text).into_iter().map(|(keyword, value)| {
        match (is_secret(keyword, value), value.is_empty()) {
            (true, _) => format!("{keyword}=***"),
            // a stray text may be the rest of a password
            (false, true) if !text.contains(&format!("{keyword}=")) => "***".to_string(),
            (false, _) => format!("{keyword}={value}"),
        }
    });
    shown.collect::<Vec<_>>().join(";")
}

/// The string with this password, unless it has one or there is none.
pub fn with_password(text: &str, password: &str) -> String {
    let has_one = pairs(text).iter().any(|(keyword, _)| is_password(keyword));
    if password.is_empty() || has_one {
        return text.to_string();
    }
    format!("{};PWD={}", trimmed(text), quoted(password))
}

/// The value as it stands in a string: in braces only where it needs them, as not every driver takes them away.
/// psqlODBC reads `%41` and `+` without braces as in a URL.
fn quoted(value: &str) -> String {
    match value.contains([';', '{', '}', '%', '+']) || value.trim() != value {
        true => format!("{{{}}}", value.replace('}', "}}")),
        false => value.to_string(),
    }
}

/// Returns the string with further pairs whose keywords it does not contain.
pub fn with_options(text: &str, options: &str) -> String {
    let own = pairs(text);
    let mut whole = trimmed(text).to_string();
    for (name, value) in pairs(options) {
        let mut names = own.iter().map(|(keyword, _)| keyword);
        if !names.any(|keyword| keyword.eq_ignore_ascii_case(name)) {
            whole.push_str(&format!(";{name}={value}"));
        }
    }
    whole
}

fn trimmed(text: &str) -> &str {
    text.trim_end_matches([';', ' '])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn values_in_braces_are_kept_whole() {
        let text = "Driver={A;B};Server = h;PWD={a}};b};Port=1";
        assert_eq!(
            pairs(text),
            [
                ("Driver", "{A;B}"),
                ("Server", " h"),
                ("PWD", "{a}};b}"),
                ("Port", "1")
            ]
        );
        assert_eq!(redacted(text), "Driver={A;B};Server= h;PWD=***;Port=1");
    }

    #[test]
    fn a_password_is_added_where_none_is() {
        assert_eq!(with_password("DSN=x;", "p}w"), "DSN=x;PWD={p}}w}");
        assert_eq!(with_password("DSN=x;", "p=w@!"), "DSN=x;PWD=p=w@!");
        assert_eq!(with_password("DSN=x", " p;"), "DSN=x;PWD={ p;}");
        assert_eq!(with_password("DSN=x", "p%41"), "DSN=x;PWD={p%41}");
        assert_eq!(with_password("DSN=x;password=y", "z"), "DSN=x;password=y");
        assert_eq!(with_password("DSN=x;NewPWD=y", "z"), "DSN=x;NewPWD=y;PWD=z");
        assert_eq!(with_password("DSN=x", ""), "DSN=x");
    }

    #[test]
    fn options_are_added_where_the_user_has_none() {
        assert_eq!(with_options("DSN=x;", "A=2;B=3"), "DSN=x;A=2;B=3");
        assert_eq!(with_options("a=3;DSN=x", "A=2;B=3"), "a=3;DSN=x;B=3");
        assert_eq!(with_options("DSN=x", ""), "DSN=x");
    }

    #[test]
    fn secrets_by_other_names_are_not_shown() {
        let text = "DSN=x;NewPWD=a;SSLKeyPassword=b;pqopt={password=c};AccessToken=d;pqopt={x=1}";
        let shown = "DSN=x;NewPWD=***;SSLKeyPassword=***;pqopt=***;AccessToken=***;pqopt={x=1}";
        assert_eq!(redacted(text), shown);
    }

    proptest! {
        #[test]
        fn a_password_is_read_as_it_was_written(password in "[ a-z;}{=]{1,12}") {
            let text = with_password("Driver={X};Server=h", &password);
            let pairs = pairs(&text);
            let (name, value) = pairs[2];
            let inner = value.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
            let read = inner.map_or(value.to_string(), |inner| inner.replace("}}", "}"));
            prop_assert_eq!((pairs.len(), name, read), (3, "PWD", password));
        }

        #[test]
        fn no_password_is_ever_shown(password in "[a-z;}{=]{1,8}QQQ[a-z;}{=]{0,8}") {
            let text = with_password("Driver={X};Server=h", &password);
            let shown = redacted(&text);
            prop_assert!(!shown.contains("QQQ"), "{} of {}", shown, text);
            prop_assert_eq!(shown, "Driver={X};Server=h;PWD=***");
        }
    }
}
