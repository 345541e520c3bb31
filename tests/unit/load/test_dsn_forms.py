"""Connection strings as clouds and tools print them: what each comes to, what is refused or noted."""

import re
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from repository import ROOT

from fivenines.base.errors import UsageError
from fivenines.load.dsn import parse_dsn
from fivenines.load.dsn.files import LIBPQ_ENVIRONMENT, MYSQL_ENVIRONMENT
from fivenines.load.dsn.forms import plain
from fivenines.load.dsn.words import IGNORED, REFUSED, TAKEN


@pytest.fixture(autouse=True)
def _bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No variable and no file of this machine's account counts."""
    for name in (*LIBPQ_ENVIRONMENT, *MYSQL_ENVIRONMENT, "PGSYSCONFDIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))


RIGHT = [
    # go-sql-driver, whose address and network have defaults, and whose other options are variables.
    ("u:p@/d", {"addresses": ["127.0.0.1:3306"], "password": "p", "database": "d"}),
    ("u:p@w@(h:3307)/d", {"addresses": ["h:3307"], "password": "p@w"}),
    ("u:p@tcp(h)/d?timeout=1m30s&readTimeout=500ms", {"connect_timeout": 90.0, "answer_timeout": 0.5}),
    ("u:p@tcp(h)/d?time_zone=%27UTC%27", {"init_sql": "SET time_zone='UTC'"}),
    # The option wins over the address, as in libpq and PyMySQL.
    (
        "postgresql://u:p@localhost:5433/d?host=/cloudsql/a:b:c",
        {"addresses": ["/cloudsql/a:b:c/.s.PGSQL.5433"]},
    ),
    ("postgresql://u:p@localhost/d?host=db.example", {"addresses": ["db.example:5432"]}),
    ("mysql://u:p@localhost/d?unix_socket=/cloudsql/a:b:c", {"addresses": ["/cloudsql/a:b:c"]}),
    ("mysql+pymysql://u:p@localhost:3306/d?unix_socket=/run/m.sock", {"addresses": ["/run/m.sock"]}),
    # From an XML file.
    ("jdbc:mysql://h/d?user=u&amp;password=p&amp;useSSL=false", {"password": "p", "tls": "disable"}),
    # Npgsql.
    (
        "Host=h;Username=u;Password=p;Database=d;Cancellation Timeout=500;Internal Command Timeout=3;"
        "Check Certificate Revocation=false",
        {"addresses": ["h:5432"], "password": "p"},
    ),
    # Command lines.
    ("psql -h h -p 1 d u", {"user": "u", "database": "d"}),
    ("psql -Xqh h -d d u", {"user": "u", "database": "d", "addresses": ["h:5432"]}),
    ("psql -U u -Atc 'SELECT 1' d", {"user": "u", "database": "d"}),
    ("mysql -uu -pp -h h d < dump.sql", {"password": "p", "database": "d", "addresses": ["h:3306"]}),
    ("mysql -BNuu -pp -h h d 2>&1 | tee log", {"user": "u", "database": "d"}),
    ("mysql -u u -h h --disable-ssl d", {"tls": "disable"}),
    ("mariadb -u u -h h --ssl --skip-ssl-verify-server-cert d", {"tls": "require"}),
    ("postgresql://u:p@h:1/d?sslmode=verify-full&sslrootcert=system", {"tls": "verify-full", "tls_ca": ""}),
    ("postgresql://u:p@h:1/d?sslrootcert=system", {"tls": "verify-full"}),
    (
        "psql 'postgresql://neon:npg_x@ep-a-pooler.example/db?sslmode=require&channel_binding=require'",
        {"tls": "require", "channel_binding": "require", "password": "npg_x", "database": "db"},
    ),
    ("postgresql://u:p@h/d?options=-csearch_path%3Db", {"startup": (("options", "-csearch_path=b"),)}),
    ("postgresql://u:p@h/d?application_name=a%20b+1", {"startup": (("application_name", "a b+1"),)}),
    (
        "postgresql://u:p@h/d?sslmode=verify-full&sslcert=c.pem&sslkey=k.pem",
        {"tls_cert": "c.pem", "tls_key": "k.pem"},
    ),
    ("postgresql://u:p@h/d?sslmode=require&sslrootcert=/ca", {"tls": "verify-ca", "tls_ca": "/ca"}),
    ("postgresql://u:p@h/d?sslmode=require&sslnegotiation=direct", {"tls_direct": True}),
    (
        "postgresql://u:p@h/d?keepalives_idle=30&tcp_user_timeout=5000&connect_timeout=5",
        {"keepalive": "30s,75s,9", "tcp_user_timeout": 5.0, "connect_timeout": 5.0},
    ),
    ("postgresql://u:p@h/d?keepalives=0", {"keepalive": "off"}),
    ("postgresql://u:p@h/d?keepalives_interval=5&keepalives_count=3", {"keepalive": "7200s,5s,3"}),
    ("postgresql://u:p@h/d?ssl=true", {"tls": "require"}),
    ("postgresql://u:p@h", {"database": "u"}),
    (
        r"host=a,b port=1,2 dbname=d user=u password='it\'s' target_session_attrs=read-write",
        {"password": "it's", "find": "writable"},
    ),
    ("host = a  dbname = 'x y' user=u", {"database": "x y"}),
    ("host=db hostaddr=10.0.0.5 dbname=d user=u", {}),
    (
        "jdbc:postgresql://h1:1,h2/d?user=u&password=a%2Bb&ssl=true&targetServerType=primary",
        {"tls": "verify-full", "find": "writable", "password": "a+b"},
    ),
    (
        "jdbc:postgresql://h/d?user=u&currentSchema=s&socketTimeout=30",
        {"startup": (("search_path", "s"),), "answer_timeout": 30.0},
    ),
    (
        "jdbc:mysql://h1,h2/d?user=u&password=p&useSSL=true&requireSSL=true&connectTimeout=5000",
        {"tls": "require", "connect_timeout": 5.0},
    ),
    ("jdbc:mysql://h/d?user=u&useSSL=false", {"tls": "disable"}),
    (
        "mysql://u:p@h/d?connectTimeout=5000&socketTimeout=30000",
        {"connect_timeout": 5.0, "answer_timeout": 30.0},
    ),
    ("mysql://u:p@h/d?connect_timeout=5", {"connect_timeout": 5.0}),
    (
        'psql -d "postgresql://u:p@db1:5433/shop"',
        {"database": "shop", "password": "p", "addresses": ["db1:5433"]},
    ),
    ("psql --dbname=postgresql://u:p@db1:5433/shop", {"database": "shop", "password": "p"}),
    ('psql -d "host=db1 user=u dbname=shop"', {"database": "shop", "addresses": ["db1:5432"]}),
    ("postgresql://u@a,b/d?port=5432,5433", {"addresses": ["a:5432", "b:5433"]}),
    ("postgresql://u@a,b/d?port=5433", {"addresses": ["a:5433", "b:5433"]}),
    ("postgresql://u@[::1]/d?port=5433", {"addresses": ["[::1]:5433"]}),
    ("psql -h db1 -U u -d shop", {"database": "shop", "addresses": ["db1:5432"]}),
    (
        "postgresql+psycopg2://u:p@/d?host=a:5432&host=b:5433&host=c",
        {"addresses": ["a:5432", "b:5433", "c:5432"]},
    ),
    ("jdbc:postgresql:d?user=u", {"database": "d", "addresses": ["localhost:5432"]}),
    ("jdbc:postgresql:///d?user=u", {"database": "d", "addresses": ["localhost:5432"]}),
    ("jdbc:mysql:///d?user=u", {"database": "d", "addresses": ["localhost:3306"]}),
    ("jdbc:mysql://h/d?user=u&useSSL=true&verifyServerCertificate=true", {"tls": "verify-ca"}),
    ("jdbc:mysql:replication://h1,h2/d?user=u&sslMode=VERIFY_IDENTITY", {"tls": "verify-full"}),
    ("jdbc:mysql://h/d?user=u&sessionVariables=wait_timeout=10", {"init_sql": "SET wait_timeout=10"}),
    ("jdbc:mariadb://h/d?user=u&useSsl=true&disableSslHostnameVerification=true", {"tls": "verify-ca"}),
    ("jdbc:mariadb://h/d?user=u&password=a+b%25", {"password": "a+b%25"}),
    ("jdbc:mariadb:sequential://h1,h2/d?user=u&sslMode=trust", {"tls": "require"}),
    ("postgresql+asyncpg://u:p@h/d?ssl=require", {"tls": "require"}),
    (
        "mysql+pymysql://u:p@h/d?ssl_ca=/ca&ssl_verify_cert=true&ssl_verify_identity=true",
        {"tls": "verify-full", "tls_ca": "/ca"},
    ),
    ("mysql://u:p@h/d?sslaccept=strict", {"tls": "verify-full"}),
    ('mysql://u:p@h/d?ssl={"rejectUnauthorized":true}', {"tls": "verify-full"}),
    ('mysql://u:p@h/d?ssl={"rejectUnauthorized":false}', {"tls": "require"}),
    ("mysql://u:p@h:25060/d?ssl-mode=REQUIRED", {"tls": "require"}),
    (
        "u:p@ss:w/o?rd@tcp(h:3307)/d?tls=skip-verify&timeout=500ms",
        {"tls": "require", "password": "p@ss:w/o?rd", "connect_timeout": 0.5},
    ),
    (
        "u:p@tcp(h)/d?transaction_isolation=%27READ-COMMITTED%27&tls=true",
        {"tls": "verify-full", "init_sql": "SET transaction_isolation='READ-COMMITTED'"},
    ),
    ('Server=h;Database=d;Uid=u;Pwd="a;b";SslMode=Required;', {"password": "a;b", "tls": "require"}),
    (
        "Host=h;Username=u;Password=p;Database=d;SSL Mode=VerifyFull;Root Certificate=/ca",
        {"driver": "postgres", "tls": "verify-full", "tls_ca": "/ca"},
    ),
    ("mysql:host=h;port=3307;dbname=d;user=u;password=p", {"driver": "mysql", "password": "p"}),
    ("mysql -h h -P 25060 -u u -pp --ssl-mode=REQUIRED d", {"password": "p", "tls": "require"}),
    ("PGPASSWORD=p psql -h h -p 5433 -U u -d d", {"password": "p", "database": "d"}),
]


@pytest.mark.parametrize(("text", "expected"), RIGHT)
def test_each_form_is_read(text: str, expected: dict[str, object]) -> None:
    dsn = parse_dsn(text)
    found = {**asdict(dsn.session), "addresses": [str(address) for address in dsn.addresses]}
    assert {name: found.get(name, getattr(dsn, name, None)) for name in expected} == expected


def _places(text: str) -> list[str]:
    return [str(address) for address in parse_dsn(text).addresses]


def test_hosts_and_ports_are_paired() -> None:
    assert _places("host=a,b port=1,2 dbname=d user=u") == ["a:1", "b:2"]
    assert _places("host=a,b port=7 dbname=d user=u") == ["a:7", "b:7"]
    assert _places("host=::1 port=7 dbname=d user=u") == ["[::1]:7"]
    assert _places("host=/run/pg port=7 dbname=d user=u") == ["/run/pg/.s.PGSQL.7"]
    assert _places("host=db hostaddr=10.0.0.5 dbname=d user=u") == ["10.0.0.5:5432"]
    assert _places("jdbc:mysql://address=(host=a)(port=1),(host=b,port=2)/d?user=u") == ["a:1", "b:2"]
    assert _places("u@unix(/tmp/x.sock)/d") == ["/tmp/x.sock"]


REFUSALS = [
    ("postgresql://u:hush@h/d?sslmode=require&sslrootcert=system", "requires sslmode=verify-full"),
    ("postgresql://u:hush@h/d?sslcert=c.pem", "belong together"),
    ("postgresql://u:hush@h/d?sslcrl=x", "revocation lists are not read"),
    ("postgresql://u:hush@h/d?gssencmode=require", "GSSAPI is not supported"),
    ("postgresql://u:hush@h/d?min_protocol_version=3.2", "only protocol 3.0 is supported"),
    ("postgresql://u:hush@h/d?ssl_min_protocol_version=TLSv1.3", "TLS 1.2 and 1.3"),
    ("postgresql://u:hush@h/d?target_session_attrs=standby", "the load writes"),
    ("postgresql://u:hush@h/d?require_auth=magic", "require_auth must be a list"),
    ("postgresql://u:hush@h/d?sslnegotiation=direct", "requires sslmode=require"),
    ("postgresql://u:hush@h/d?sslpassword=hush", "openssl pkey"),
    ("host=db hostaddr=1.2.3.4 sslmode=verify-full dbname=d user=u password=hush", "leave hostaddr out"),
    ("host=a,b,c port=1,2 dbname=d user=u password=hush", "3 hosts and 2 ports"),
    ("host=a dbname=d user=u password='hush", "are malformed"),
    ("service=nothing password=hush", "in no service file"),
    ("jdbc:mysql://h/d?user=u&password=hush&trustCertificateKeyStoreUrl=file:x", "keytool"),
    ("jdbc:mysql+srv://h/d?user=u&password=hush", "SRV records"),
    ("u:hush@cloudsql(x:y:z)/d", "is specific to go-sql-driver"),
    ("u:hush@tcp(h)/d?tls=custom", "write sslmode="),
    ("mysqlx://u:hush@h:33060/d", "the X protocol is not supported"),
    ("Server=tcp:h,1433;Initial Catalog=d;User ID=u;Password=hush", "SQL Server requires ODBC"),
    ("Server=h;Port=3306;Database=d;Uid=u;Pwd=hu;sh", "has no name"),
    ("postgresql://u:hush@h:5432/d?port=5433", "both after a host and as an option"),
    ("postgresql://u:hush@h/d?port=abc", "malformed"),
    ("postgresql://u:hush@h/d?port=70000", "malformed"),
    ("postgresql://u:hush@h1,u:hush@h2/d", "each host has an account"),
    ("jdbc:mysql://u:hush@h1,u:hush@h2/d", "each host has an account"),
    ("jdbc:mysql://(host=h,user=u,password=hush),(host=k,user=v,password=hush)/d", "different options"),
    ("jdbc:tc:postgresql:16:///d?password=hush", "name the server"),
    ("Driver={ODBC Driver 18 for SQL Server};Server=h;Uid=u;Pwd=hush", "write odbc: in front of it"),
    ("Server=h;Uid=u;Pwd=hush;Database=d;Protocol=pipe", "only TCP and unix sockets"),
    ("mysql --protocol=socket -u u -phush d", "name the socket"),
    ('mysql://u:hush@h/d?ssl={"key":"hush"}', "name PEM files by sslrootcert"),
    (
        "jdbc:mariadb://h/d?user=u&password=hush&transactionIsolation=NONE",
        "transactionIsolation must be one of",
    ),
    ("mysql://${DB_USER}:hush@h/d", "the user is still a placeholder"),
    ("{{username}}:hush@tcp(h:3306)/d", "the user is still a placeholder"),
    ("jdbc:postgresql://h/d;user=u;password=hush", "missing"),
    ("mysql://h/d password=hush", "missing"),
    ("mysql:host=h;dbname=d;user=u;password=hu;sh", "has no name"),
    ("mysql://u:hush@h/d?read_default_file=/nonexistent", "cannot be read"),
    ("mysql://u:hush@h/d?channel_binding=require", "an option of PostgreSQL"),
    ("postgresql://u:hush@h/d?init_command=SET+a", "options=-c"),
]


@pytest.mark.parametrize(("text", "words"), REFUSALS)
def test_what_is_refused_has_a_sentence_and_no_password(text: str, words: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_dsn(text)
    assert words in str(refused.value)
    assert "hush" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("Server=h;Database=d;User Id=u;Password=p", "names no product: MySQL is assumed"),
        ("postgresql://u:p@localhost/d?host=h", "the host before the database has no effect"),
        ("mysql://u:p@h/d?timezone=%2B00:00", "SET time_zone="),
    ],
)
def test_what_was_assumed_is_noted(text: str, note: str) -> None:
    assert any(note in one for one in parse_dsn(text).notes)


def test_what_has_no_effect_is_noted() -> None:
    dsn = parse_dsn("postgresql://u:p@h/d?pgbouncer=true&connection_limit=1&foo=1")
    assert len(dsn.notes) == 3
    assert "'pgbouncer' has no effect" in dsn.notes[0]
    assert "'foo' is unknown" in dsn.notes[2]


def test_a_service_a_password_file_and_the_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    services, passwords = tmp_path / "services", tmp_path / "pass"
    services.write_text("# mine\n[other]\nhost=x\n[mine]\nhost=db\nport=7\ndbname=d\nuser=u\n")
    passwords.write_text("x:*:*:*:no\n# no\ndb:7:d:u:a\\:b\n")
    passwords.chmod(0o600)
    monkeypatch.setenv("PGSERVICEFILE", str(services))
    monkeypatch.setenv("PGPASSFILE", str(passwords))
    monkeypatch.setenv("PGPORT", "9")
    dsn = parse_dsn("service=mine")
    assert (str(dsn), dsn.password) == ("postgresql://u@db:7/d", "a:b")
    assert str(parse_dsn("service=mine port=8")) == "postgresql://u@db:8/d", "the string counts most"
    assert str(parse_dsn("host=h user=u dbname=d")) == "postgresql://u@h:9/d", "the environment counts least"
    passwords.chmod(0o644)
    dsn = parse_dsn("service=mine")
    assert dsn.password == "" and "chmod 600" in dsn.notes[0]


def test_an_option_file_of_mysql(tmp_path: Path) -> None:
    file = tmp_path / "my.cnf"
    file.write_text(
        '[mysqld]\nport=1\n[client]\nuser=u\npassword="p#w"\nhost=db\nport=3307\nssl-mode=REQUIRED # yes\n'
    )
    dsn = parse_dsn(f"mysql://?defaults-file={file}&database=d")
    assert (str(dsn), dsn.password, dsn.tls) == ("mysql://u@db:3307/d", "p#w", "require")
    assert str(parse_dsn(f"mysql://me@h/d?read_default_file={file}")) == "mysql://me@h:3306/d"


def test_no_option_is_in_two_places() -> None:
    words = [word for words in TAKEN.values() for word in words.split()]
    words += [word for _, words in IGNORED for word in words.split()]
    words += [word for words, _ in REFUSED for word in words.split()]
    assert sorted(words) == sorted(set(words))
    assert all(word == plain(word) for word in words)


def test_the_docs_explain_every_supported_option() -> None:
    page = ROOT / "docs" / "how-to" / "connection-strings.md"
    shown = {plain(word) for word in re.findall(r"`([^`]+)`", page.read_text())}
    assert [words for words in TAKEN.values() if shown.isdisjoint(words.split())] == []


SECRETS = st.text(st.characters(codec="ascii", categories=["L", "N", "P", "S"]), max_size=8)
WRAPPED = [
    "host=h user=u dbname=d password='{}' {}",
    "u:{}@tcp(h)/d{}",
    "Server=h;Uid=u;Pwd={};Database=d;{}",
    "jdbc:mysql://h/d?user=u&password={}&{}",
    "mysql -h h -u u -p{} d {}",
    "psql 'host=h password={} {}'",
    "mysql:host=h;password={};{}",
    "postgresql://h/d?user=u&password={}&{}",
]


@example("@", WRAPPED[3], "sslmode=maybe")
@example(";", WRAPPED[5], "sslmode=maybe")
@example("&", WRAPPED[3], "")
@example("@/", WRAPPED[0], "")
@given(
    SECRETS, st.sampled_from(WRAPPED), st.sampled_from(["", "sslmode=maybe", "port=x", "nonsense", "ssl=q;"])
)
def test_no_form_shows_a_password(middle: str, form: str, rest: str) -> None:
    try:
        dsn = parse_dsn(form.format(f"hush{middle}hush", rest))
    except UsageError as refused:
        assert "hush" not in str(refused)
    else:
        assert "hush" not in repr(dsn) + str(dsn) + " ".join(dsn.notes)


@given(st.text(max_size=30), st.sampled_from([*WRAPPED, "{}{}", "jdbc:{}{}", "{}={}"]))
def test_any_text_in_any_form_is_read_or_refused(text: str, form: str) -> None:
    try:
        dsn = parse_dsn(form.format(text, ""))
    except UsageError:
        return
    assert dsn.driver in ("noop", "odbc") or dsn.addresses


PASTED: list[tuple[str, str]] = [
    (
        "postgresql://u:p@/db?host=/cloudsql/proj:region:inst",
        "postgresql://u@/cloudsql/proj:region:inst/.s.PGSQL.5432/db",
    ),
    (
        "host=/cloudsql/proj:region:inst port=6000 user=u dbname=db",
        "postgresql://u@/cloudsql/proj:region:inst/.s.PGSQL.6000/db",
    ),
    (
        "postgresql://u@%2Fcloudsql%2Fproj%3Aregion%3Ainst:6000/db",
        "postgresql://u@/cloudsql/proj:region:inst/.s.PGSQL.6000/db",
    ),
    (
        "mysql+pymysql://u:p@/db?unix_socket=/cloudsql/proj:region:inst",
        "mysql://u@/cloudsql/proj:region:inst/db",
    ),
    (
        "postgresql+pg8000://u:p@/db?unix_sock=/cloudsql/p:r:i/.s.PGSQL.5432",
        "postgresql://u@/cloudsql/p:r:i/.s.PGSQL.5432/db",
    ),
    ("ysqlsh -h h -p 5433 -U y -d yugabyte", "postgresql://y@h:5433/yugabyte"),
    ("cockroach sql --url 'postgresql://u:p@h:26257/d?sslmode=disable'", "postgresql://u@h:26257/d"),
    ("pgcli postgres://u:p@h/d", "postgresql://u@h:5432/d"),
    ("mycli mysql://u:p@h/d", "mysql://u@h:3306/d"),
    ("PGHOST=h PGUSER=u PGPASSWORD='p w' PGDATABASE=d psql", "postgresql://u@h:5432/d"),
    ("MYSQL_PWD=p MYSQL_HOST=h mysql -u u d", "mysql://u@h:3306/d"),
    ("psql -h h -U u -d d -c 'SELECT 1'", "postgresql://u@h:5432/d"),
    ("psql -h h -U u d -v ON_ERROR_STOP=1 -f load.sql", "postgresql://u@h:5432/d"),
    ("mysql -h h -u u -pp -D d --connect-timeout 15 -e 'SELECT 1'", "mysql://u@h:3306/d"),
    ("mysql -h h -u u -pp --ssl-mode REQUIRED --comments d", "mysql://u@h:3306/d"),
    ("export DATABASE_URL='postgres://u:p@h:5432/d'", "postgresql://u@h:5432/d"),
    ('DATABASE_URL="mysql://u:p@h/d";', "mysql://u@h:3306/d"),
    ("trilogy://u:p@h/d", "mysql://u@h:3306/d"),
    (
        'Server="h";UserID="u";Password="p;x";Database="d";SslMode=MySqlSslMode.Required;SslCa=""',
        "mysql://u@h:3306/d",
    ),
]


@pytest.mark.parametrize(("text", "comes_to"), PASTED)
def test_what_consoles_and_shells_show_may_be_pasted(text: str, comes_to: str) -> None:
    assert str(parse_dsn(text)) == comes_to


def test_flags_with_and_without_a_value_are_told_apart() -> None:
    dsn = parse_dsn("mysql -h h -u u -p'p w' --ssl-mode REQUIRED --comments d")
    assert (dsn.tls, dsn.password, dsn.database) == ("require", "p w", "d")
    dsn = parse_dsn("PGPASSWORD='p w' psql -h h -U u d")
    assert dsn.password == "p w"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("postgresql://postgres.x:[YOUR-PASSWORD]@h:6543/postgres", "password"),
        ("Server=h;UserID=u;Password=hush;Database={your_database};SslMode=Required", "database"),
        ("mysql -u 'x.root' -h h -P 4000 -D test -p'<PASSWORD>'", "password"),
        ("mysql://<user>:hush@h/d", "user"),
    ],
)
def test_a_placeholder_is_not_taken_for_a_password(text: str, what: str) -> None:
    with pytest.raises(UsageError, match=f"the {what} is still a placeholder"):
        parse_dsn(text)
    assert parse_dsn("mysql://u:[p]@h/d").password == "[p]"


@pytest.mark.parametrize(
    ("text", "driver", "tls", "spread", "sent"),
    [
        ("r2dbcs:mysql://u:p@h/d", "mysql", "require", "", ""),
        ("r2dbc:postgresql:failover://u@h,k/d", "postgres", "", "", ()),
        ("mysql://u:p@tcp(h:3306)/d?tls=true", "mysql", "verify-full", "", ""),
        ("jdbc:mysql:loadbalance://u:p@h,k/d", "mysql", "", "random", ""),
        ("Server=h,k;User ID=u;Database=d;Port=3306;Load Balance=RoundRobin", "mysql", "", "all", ""),
        ("jdbc:p6spy:postgresql://h/d?user=u&ssl=true", "postgres", "verify-full", "", ()),
        ("spring.datasource.url=jdbc:postgresql://h/d?user=u&ssl=true", "postgres", "verify-full", "", ()),
        ("url: jdbc:mysql://h/d?user=u&useSSL=true", "mysql", "prefer", "", ""),
        ("DATABASE_URL='postgres://u@h/d' # prod", "postgres", "", "", ()),
        ("DSN=u:p@tcp(h:3306)/d", "mysql", "", "", ""),
        ("Driver={PostgreSQL Unicode};Server=h;Database=d;Uid=u;Pwd=p", "postgres", "", "", ()),
        ("pdo-mysql://u:p@h/d", "mysql", "", "", ""),
        ("jdbc:mysql://address=(host=h)(port=3306)(user=u)(password=p)/d", "mysql", "", "", ""),
        (
            "jdbc:mariadb://h/d?user=u&transactionIsolation=READ-COMMITTED",
            "mysql",
            "",
            "",
            "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
        ),
        (
            "postgresql://u@h/d?synchronous_commit=off&default_transaction_isolation=serializable",
            "postgres",
            "",
            "",
            (("synchronous_commit", "off"), ("default_transaction_isolation", "serializable")),
        ),
        ("postgresql://u@h/d?default_query_exec_mode=exec", "postgres", "", "", ()),
    ],
)
def test_what_else_people_paste(
    text: str, driver: str, tls: str, spread: str, sent: str | tuple[tuple[str, str], ...]
) -> None:
    dsn = parse_dsn(text)
    session = dsn.session.init_sql if driver == "mysql" else dsn.session.startup
    assert (dsn.driver, dsn.user, dsn.database) == (driver, "u", "d")
    assert (dsn.addresses[0].host, dsn.tls, dsn.spread, session) == ("h", tls, spread, sent)


def test_a_client_that_would_use_a_socket_gets_a_note() -> None:
    for text in ("mysql -h localhost -P 3307 -u u d", "mysql -u u d", "mysql:host=localhost;dbname=d;user=u"):
        assert any("unix socket" in note for note in parse_dsn(text).notes), text
    for text in (
        "mysql --protocol=tcp -h localhost -u u d",
        "mysql://u@localhost/d",
        "pgsql:host=localhost;user=u;dbname=d",
    ):
        assert not any("unix socket" in note for note in parse_dsn(text).notes), text


def test_options_for_poolers_name_the_protocol() -> None:
    for option in ("pgbouncer=true", "prepare_threshold=0", "default_query_exec_mode=simple_protocol"):
        (note,) = parse_dsn(f"postgresql://u@h/d?{option}").notes
        assert note.endswith("add --protocol extended")
