//! The kinds of servers, by the dialect that they speak.

/// Which dialect of SQL a server speaks; and, but for an endpoint of ODBC, which protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Kind {
    /// MariaDB and MySQL.
    Mysql,
    /// PostgreSQL.
    Postgres,
    /// solidDB, by ODBC.
    Soliddb,
    /// Oracle Database, by ODBC.
    Oracle,
    /// Microsoft SQL Server, by ODBC.
    Sqlserver,
    /// IBM Db2, by ODBC.
    Db2,
    /// No server at all: every call succeeds at once. Measures the tool's own cost.
    Noop,
}

impl Kind {
    /// The statement that begins a transaction. BEGIN alone would begin a block where `sql_mode` is ORACLE (MariaDB).
    pub fn begin(self) -> &'static str {
        match self {
            Kind::Mysql => "START TRANSACTION",
            _ => "BEGIN",
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Kind::Mysql => "mysql",
            Kind::Postgres => "postgres",
            Kind::Soliddb => "soliddb",
            Kind::Oracle => "oracle",
            Kind::Sqlserver => "sqlserver",
            Kind::Db2 => "db2",
            Kind::Noop => "noop",
        }
    }

    /// Its name for integers of eight bytes.
    pub fn big_int(self) -> &'static str {
        match self {
            Kind::Oracle => "NUMBER(19)",
            _ => "BIGINT",
        }
    }

    /// There is no other way to it than ODBC.
    pub fn is_by_odbc_alone(self) -> bool {
        matches!(
            self,
            Kind::Soliddb | Kind::Oracle | Kind::Sqlserver | Kind::Db2
        )
    }
}
