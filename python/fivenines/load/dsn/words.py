"""The table of options in connection strings: supported, ignored or refused.

Names are compared without case, `-`, `_`, `.` and spaces, see `forms.plain`.
docs/reference/connection-strings.md is made from this table; docs/how-to/connection-strings.md says what the
supported options do, and a test compares the two.
"""

import re

# Supported options: the name in messages, and all spellings.
TAKEN: dict[str, str] = {
    "user": "user username userid uid",
    "password": "password pwd",
    "host": "host server hostname datasource addr address networkaddress",
    "hostaddr": "hostaddr",
    "port": "port",
    "dbname": "dbname database db databasename",
    "socket": "socket unixsocket unixsock localsocket socketpath",
    "passfile": "passfile",
    "service": "service",
    "servicefile": "servicefile",
    "defaults_file": "readdefaultfile defaultsfile defaultsextrafile defaultfile optionfile",
    "defaults_group": "readdefaultgroup defaultgroup defaultsgroupsuffix",
    "sslmode": "sslmode tlsmode",
    "ssl": "ssl tls usessl usetls sslenabled",
    "requiressl": "requiressl",
    "verify": "verifyservercertificate sslverifycert sslverifyservercert sslverifyidentity",
    "trust": "trustservercertificate skipsslverifyservercert",
    "no_names": "disablesslhostnameverification",
    "ssldisabled": "ssldisabled skipssl disablessl",
    "sslaccept": "sslaccept",
    "sslfactory": "sslfactory",
    "sslrootcert": "sslrootcert sslca serversslcert rootcertificate cacertificatefile sslcafile",
    "sslcert": "sslcert sslcertificate clientcertificate",
    "sslkey": "sslkey",
    "sslnegotiation": "sslnegotiation",
    "sslcertmode": "sslcertmode",
    "channel_binding": "channelbinding",
    "require_auth": "requireauth",
    "options": "options",
    "application_name": "applicationname",
    "search_path": "searchpath currentschema schema",
    "statement_timeout": "statementtimeout",
    "lock_timeout": "locktimeout",
    "idle_in_transaction_session_timeout": "idleintransactionsessiontimeout",
    "timezone": "timezone",
    "datestyle": "datestyle",
    "init_sql": "initcommand connectioninitsql",
    "protocol": "protocol connectionprotocol",
    "session_variables": "sessionvariables",
    "connect_timeout": "connecttimeout connectiontimeout logintimeout timeout",
    "answer_timeout": "sockettimeout readtimeout",
    "tcp_user_timeout": "tcpusertimeout",
    "keepalives": "keepalives",
    "keepalives_idle": "keepalivesidle",
    "keepalives_interval": "keepalivesinterval",
    "keepalives_count": "keepalivescount",
    "target_session_attrs": "targetsessionattrs targetservertype targetsessionattributes",
    "load_balance_hosts": "loadbalancehosts loadbalance",
    "gssencmode": "gssencmode",
    "min_protocol_version": "minprotocolversion",
    "ssl_min_protocol_version": "sslminprotocolversion",
    "client_encoding": "clientencoding",
}

# Options that become parameters of PostgreSQL's start-up message.
PLAIN_SETTINGS = (
    "search_path",
    "statement_timeout",
    "lock_timeout",
    "idle_in_transaction_session_timeout",
    "timezone",
    "datestyle",
)

# Further settings of a PostgreSQL session that pgx, lib/pq and asyncpg accept as options and send.
SESSION = re.compile(
    r"(?:default_(?:transaction|text|toast|table)|enable_|max_parallel_|parallel_|geqo|log_|track_|jit)\w*"
    r"|synchronous_commit|(?:maintenance_)?work_mem|hash_mem_multiplier|temp_buffers|plan_cache_mode|role"
    r"|session_replication_role|row_security|client_min_messages|transaction_timeout|idle_session_timeout"
    r"|deadlock_timeout|commit_delay|commit_siblings|(?:random|seq)_page_cost|effective_\w+"
    r"|bytea_output|intervalstyle|extra_float_digits|\w+\.\w+"
)

# Ignored options, with the reason.
IGNORED: list[tuple[str, str]] = [
    (
        "the load uses UTF-8",
        "charset characterset encoding characterencoding useunicode collation connectioncollation "
        "stringtype "
        "characterresults",
    ),
    (
        "rows are counted, not converted",
        "parsetime loc servertimezone connectiontimezone converttozero zerodatetimebehavior "
        "convertzerodatetime "
        "allowzerodatetime tinyint1isbit treattinyasboolean columnswithalias binarytransfer "
        "defaultrowfetchsize usecursorfetch fetchsize localtime nulldatabasemeansdefault "
        "jdbccomplianttruncation "
        "yearisdatetype",
    ),
    (
        "the load has its own pool: --connections says how many",
        "pool pooling poolsize maxpoolsize minpoolsize minimumpoolsize maximumpoolsize "
        "connectionlimit pooltimeout "
        "connectionlifetime connmaxage maxopenconns maxidleconns maxconns maxconnlifetime maxconnidletime "
        "poolrecycle poolpreping poolmaxconns "
        "poolminconns acquiretimeout "
        "maxlifetime idletimeout waitforconnections queuelimit connectionreset poolmode",
    ),
    (
        "statements are prepared as the workload says",
        "preparedstatementcachequeries preparedstatementcachesizemib "
        "useserverprepstmts cacheprepstmts prepstmtcachesize prepstmtcachesqllimit interpolateparams "
        "maxautoprepare autopreparemincount "
        "descriptioncachecapacity emulateprepares",
    ),
    (
        "statements are prepared as the workload says: behind a pooler in transaction mode add "
        "--protocol extended",
        "preparethreshold preferquerymode statementcachesize statementcachecapacity "
        "preparedstatementcachesize defaultqueryexecmode pgbouncer prepare preparedstatements "
        "statementcachemode nopreparedstatements binaryparameters",
    ),
    (
        "statements are sent as the workload has them",
        "allowmultiqueries multistatements rewritebatchedstatements rewritebatchedinserts "
        "usecompression compress "
        "compression maxallowedpacket allowloadlocalinfile allowlocalinfile usebulkstmts autosave readonly "
        "isolation isolationlevel autocommit foundrows clientfoundrows useaffectedrows allowuservariables "
        "assumeminserverversion logunclosedconnections loglevel loggerlevel includeerrordetail "
        "noresetonclose multiplexing enlist cleanupsavepoints commandtimeout "
        "cancellationtimeout defaultcommandtimeout internalcommandtimeout writetimeout querytimeout "
        "maintaintimestats useconfigs cacheserverconfiguration elidesetautocommits uselocalsessionstate "
        "cacheresultsetmetadata usessps useinformationschema paranoid "
        "databasemetadatacachefields databasemetadatacachefieldsmib escapesyntaxcallmode tcpkeepalive "
        "usecompressedprotocol sslsni fallbackapplicationname serverversion adapter reconnect "
        "driver dialect "
        "collectperformancestats connectionattributes programname autoreconnect maxreconnects replication "
        "strictmode native directconnection cachesize sockettype tcpnodelay keepalive schemaversion "
        "rejectreadonly checkconnliveness failoverreadonly retriesalldown hostrecheckseconds "
        "topologykeys clustername lbstrategy transactionreplay reconnectinterval initialtimeout "
        "nomultistatements",
    ),
    (
        "passwords are sent as the server asks for them",
        "allownativepasswords allowcleartextpasswords allowfallbacktoplaintext allowoldpasswords "
        "allowpublickeyretrieval defaultauth defaultauthenticationplugin enablecleartextplugin "
        "authenticationplugins getserverpublickey",
    ),
    (
        "GSSAPI and Kerberos are not supported",
        "krbsrvname gsslib gssdelegation gsslibrary usespnego jaasapplicationname jaaslogin "
        "kerberosservername",
    ),
    ("TLS 1.2 and 1.3 have no use for it", "sslcompression sslkeylogfile sslresponsetimeout"),
    ("the load uses protocol 3.0", "maxprotocolversion"),
]

# Refused options, and what to write instead.
REFUSED: list[tuple[str, str]] = [
    (
        "sslpassword sslkeypassword certificatepassword clientkeypassword",
        "encrypted keys are not read: decrypt the key by `openssl pkey -in KEY -out PLAIN`, and "
        "name PLAIN by sslkey",
    ),
    (
        "truststore truststorepassword truststoretype trustcertificatekeystoreurl "
        "trustcertificatekeystorepassword trustcertificatekeystoretype",
        "Java's key stores are not read: export the authority as PEM (keytool -exportcert -rfc), "
        "and name it by "
        "sslrootcert",
    ),
    (
        "keystore keystorepassword keystoretype clientcertificatekeystoreurl "
        "clientcertificatekeystorepassword "
        "clientcertificatekeystoretype keypassword sslidentity certificatefile certificatethumbprint "
        "certificatestorelocation sslhostnameverifier sslfactoryarg socketfactory socketfactoryarg",
        "key stores and classes are not loaded: name a certificate and its key as PEM files by "
        "sslcert and sslkey",
    ),
    ("sslcapath sslrootcertdir", "folders of authorities are not read: name one PEM file by sslrootcert"),
    (
        "sslcrl sslcrldir sslcrlpath checkcertificaterevocation",
        "revocation lists are not read: leave it out, if a certificate that was revoked may pass",
    ),
    ("sslcipher sslciphers tlsciphersuites tlscipherlist", "the ciphers are those of rustls: leave it out"),
    (
        "tlsversion tlsversions enabledtlsprotocols enabledsslprotocolsuites sslprotocols "
        "sslmaxprotocolversion",
        "TLS 1.2 and 1.3 are supported: leave it out, and restrict the server if need be",
    ),
    ("requirepeer", "the owner of a socket is not checked: leave it out"),
    (
        "serverpubkey serverpublickeyfile serverrsapublickeyfile",
        "the server's RSA key is not pinned: encrypt by sslmode=verify-full instead",
    ),
    ("scramclientkey scramserverkey", "SCRAM keys are not used: give the password"),
    (
        "oauthissuer oauthclientid oauthclientsecret oauthscope oauthcafile",
        "OAuth is not supported: use an account with a password or a certificate",
    ),
    ("plugindir pluginauth authenticationplugin", "no plugins are loaded: leave it out"),
    (
        "proxyhost proxyport socksproxyhost",
        "proxies are not supported: forward a port instead, for example with ssh -L",
    ),
    ("loginpath", "mysql_config_editor's file is not read: name another by defaults-file=~/.my.cnf"),
]

# Unknown options with these parts may concern security, so they are refused; others only get a note.
SECURITY = (
    "ssl",
    "tls",
    "cert",
    "auth",
    "crl",
    "verify",
    "krb",
    "peer",
    "trust",
    "cipher",
    "encrypt",
    "secret",
)
