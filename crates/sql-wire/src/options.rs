//! What a connection string asks of the sessions it opens, beyond who logs in and how the transport is encrypted.

use crate::failure::Failure;

/// Of each session. The default asks nothing.
#[derive(Clone, Debug, Default)]
pub struct SessionOptions {
    /// Parameters of PostgreSQL's start-up message, as `options` or `application_name`.
    pub startup: Vec<(String, String)>,
    /// One statement that a session of MySQL executes before anything else; empty: none.
    pub init_sql: String,
    pub channel_binding: ChannelBinding,
    pub require_auth: RequireAuth,
    /// TLS begins with the first byte, as PostgreSQL 17 allows it.
    pub direct_tls: bool,
}

impl SessionOptions {
    /// `NAME=VALUE` as a parameter of the start-up message.
    pub fn parameter(text: &str) -> Result<(String, String), String> {
        let (name, value) = text
            .split_once('=')
            .ok_or_else(|| format!("expected NAME=VALUE, found '{text}'"))?;
        match name.is_empty() || text.contains('\0') {
            true => Err(format!("expected NAME=VALUE, found '{text}'")),
            false => Ok((name.to_string(), value.to_string())),
        }
    }
}

/// libpq's `channel_binding`: whether a log-in is tied to the encrypted channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ChannelBinding {
    Disable,
    #[default]
    Prefer,
    Require,
}

/// libpq's `require_auth`: the ways to log in that the user accepts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequireAuth {
    methods: Vec<String>,
    /// The methods are those that are not accepted.
    negated: bool,
}

/// libpq's names. Those that are not spoken here may be named: the server then never asks for them with success.
const METHODS: [&str; 7] = [
    "password",
    "md5",
    "gss",
    "sspi",
    "scram-sha-256",
    "oauth",
    "none",
];

impl std::str::FromStr for RequireAuth {
    type Err = String;

    fn from_str(text: &str) -> Result<RequireAuth, String> {
        let words: Vec<&str> = text.split(',').map(str::trim).collect();
        let negated = words[0].starts_with('!');
        if words.iter().any(|word| word.starts_with('!') != negated) {
            return Err("put ! before all methods or before none".to_string());
        }
        let methods: Vec<String> = words
            .iter()
            .map(|word| word.trim_start_matches('!').to_string())
            .collect();
        match methods
            .iter()
            .find(|name| !METHODS.contains(&name.as_str()))
        {
            Some(unknown) => Err(format!(
                "'{unknown}' is not a method: use {}",
                METHODS.join(", ")
            )),
            None => Ok(RequireAuth { methods, negated }),
        }
    }
}

impl RequireAuth {
    /// The server asks for this method.
    pub fn check(&self, method: &str) -> Result<(), Failure> {
        let named = self.methods.iter().any(|name| name == method);
        if self.methods.is_empty() || named != self.negated {
            return Ok(());
        }
        let not = if self.negated { "not " } else { "" };
        Err(Failure::unsupported(format!(
            "the server asks for the authentication method {method}, and require_auth accepts {not}{}",
            self.methods.join(", ")
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_accepted_or_not() {
        let only: RequireAuth = "scram-sha-256,none".parse().unwrap();
        assert!(only.check("scram-sha-256").is_ok() && only.check("none").is_ok());
        let refused = only.check("password").unwrap_err();
        assert!(refused.message.contains("password"), "{refused}");
        let all_but: RequireAuth = "!password,!md5".parse().unwrap();
        assert!(all_but.check("md5").is_err() && all_but.check("none").is_ok());
        assert!(RequireAuth::default().check("password").is_ok());
        assert!("scram-sha-256,!md5".parse::<RequireAuth>().is_err());
        assert!("magic".parse::<RequireAuth>().is_err());
    }

    #[test]
    fn parameters_have_a_name_and_a_value() {
        let read = SessionOptions::parameter("options=-c a=b").unwrap();
        assert_eq!(read, ("options".to_string(), "-c a=b".to_string()));
        assert!(SessionOptions::parameter("x").is_err());
        assert!(SessionOptions::parameter("=x").is_err());
    }
}
