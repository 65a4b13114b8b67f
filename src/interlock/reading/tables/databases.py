"""Clients and tools of databases. Rows with `special="sql_client"` name their dialect in `stdin`."""

from __future__ import annotations

from .spec import Adds, P, effects

__all__ = ["PROGRAMS"]

_PG = (
    "-h|--host:host -p|--port:number -U|--username:user -w|--no-password -W|--password -v|--verbose -V|--version "
    "-e|--echo "
    "--maintenance-db:text "
)
_MY = (
    "-h|--host:host -P|--port:number -u|--user:user -p|--password?:text -S|--socket:text --protocol:text "
    "--defaults-file:read --defaults-extra-file:read --defaults-group-suffix:text --ssl-mode:text --ssl-ca:read "
    "--ssl-cert:read --ssl-key:read --default-character-set:text --login-path:text -v -V|--version -C --compress "
)
_MONGO = (
    "-h|--host:host --port:number -u|--username:user -p|--password:text --authenticationDatabase:text "
    "-d|--db:database "
    "-c|--collection:collection --uri:host --tls --ssl --tlsCAFile:read --sslCAFile:read --sslPEMKeyFile:read "
    "--authenticationMechanism:text -q|--query:text --queryFile:read --gzip --oplog -v --quiet "
)
_LOADS = Adds(opaque="code is loaded into the database client")

_RIGHTS = Adds(tags=("privileged",))  # over more than what is its own

PROGRAMS = (
    P(
        "psql",
        "database user",
        also="pgcli",
        special="sql_client",
        stdin="sql.psql",
        options=_PG + "-c|--command:sql -f|--file:sqlfile -d|--dbname:database -o|--output:write -L|--log-file:write "
        "-v|--set|--variable:text -F|--field-separator:text -R|--record-separator:text -P|--pset:text "
        "-T|--table-attr:text "
        "-l|--list -a -A -b -E -H -n -q -s -S -t -x -X -z -0 -1|--single-transaction -? --csv --tuples-only "
        "--no-align "
        "--no-psqlrc --quiet --expanded --html --echo-all --echo-errors --echo-queries --echo-hidden --no-readline",
        does="execute",
        example="psql -c 'SELECT 1'",
    ),
    P(
        "mysql",
        "database",
        also="mariadb mycli",
        special="sql_client",
        stdin="sql.mysql",
        options=_MY + "-e|--execute:sql -D|--database:database --init-command:sql --tee:write --pager?:code.sh "
        "--delimiter:text --prompt:text --default-auth:text --plugin-dir:text --max-allowed-packet:text "
        "-B|--batch -N|--skip-column-names -r|--raw -s|--silent -t|--table -E|--vertical -X|--xml -H|--html "
        "-f|--force "
        "-A|--no-auto-rehash -n -q|--quick -i -b -o --binary-mode --local-infile?:text --show-warnings",
        flags={
            "--default-auth": _LOADS,
            "--plugin-dir": _LOADS,
            "--delimiter": Adds(opaque="the end of a statement is changed"),
        },
        does="execute",
        example="mysql -e 'SHOW TABLES' shop",
    ),
    P(
        "sqlite3",
        "edit sql*",
        also="sqlite litecli",
        special="sql_client",
        stdin="sql.sqlite",
        options="-cmd:sql -init:sqlfile -separator:text -newline:text -nullvalue:text -mode:text -maxsize:number "
        "-mmap:number "
        "-vfs:text -heap:number -zip:read -A|-archive -append -ascii -bail -batch -box -column -csv -deserialize "
        "-echo "
        "-header -noheader -help|--help -html -interactive -json -line -list -markdown -nofollow -readonly -safe "
        "-stats "
        "-table -tabs -version|--version -quote -unsafe-testing --readonly --csv --json --header --column",
        flags={"-A": Adds(opaque="`sqlite3 -A` reads and writes archives")},
        does="execute",
        example="sqlite3 app.db 'SELECT * FROM t'",
    ),
    P(
        "duckdb",
        "edit sql*",
        special="sql_client",
        stdin="sql.duckdb",
        options="-c:sql -s:sql -cmd:sql -f:sqlfile -init:sqlfile -separator:text -newline:text -nullvalue:text "
        "-readonly -csv "
        "-json -line -list -markdown -box -table -column -header -noheader -batch -bail -echo -html -ascii -quote "
        "-stats "
        "-no-stdin -unsigned -ui -version|--version -help|--help -interactive -jsonlines",
        flags={"-unsigned": _LOADS},
        does="execute",
        example="duckdb -c \"SELECT * FROM 'a.csv'\"",
    ),
    P(
        "clickhouse-client",
        "text*",
        also="clickhouse-local",
        special="sql_client",
        stdin="sql.clickhouse",
        options="-h|--host:host --port:number -u|--user:user --password:text -d|--database:database -q|--query:sql "
        "--queries-file:sqlfile -f|--format:text -n|--multiquery -m|--multiline -t --secure --config-file:read -E "
        "--output-format:text --input-format:text --file:read --structure:text --table:text "
        "--max_memory_usage:number "
        "--version --help --progress?:text --verbose",
        does="execute",
        example="clickhouse-client -q 'SELECT 1'",
    ),
    P(
        "cqlsh",
        "host port",
        special="sql_client",
        stdin="sql.cql",
        options="-e|--execute:sql -f|--file:sqlfile -u|--username:user -p|--password:text -k|--keyspace:database "
        "--ssl "
        "--cqlshrc:read --connect-timeout:number --request-timeout:number --debug -C --no-color --encoding:text "
        "--version --help",
        does="execute",
        example="cqlsh -e 'SELECT * FROM ks.t'",
    ),
    P(
        "sqlcmd",
        "text*",
        special="sql_client",
        stdin="sql.mssql",
        options="-S:host -d:database -U:user -P:text -Q:sql -q:sql -i:sqlfile -o:write -v:text -s:text -W -h:text "
        "-w:number -y:text "
        "-Y:text -t:number -l:number -m:text -b -C -E -N -G -I -X -x -e -k -u -? -r:text -a:number -c:text -V:number",
        does="execute",
        example="sqlcmd -S localhost -Q 'SELECT 1'",
    ),
    P(
        "snowsql",
        "text*",
        special="sql_client",
        stdin="sql.snowflake",
        options="-a|--accountname:host -u|--username:user -d|--dbname:database -s|--schemaname:text "
        "-r|--rolename:text "
        "-w|--warehouse:text -q|--query:sql -f|--filename:sqlfile -o|--option:text -c|--connection:host "
        "-D|--variable:text "
        "--config:read --private-key-path:read -P --prompt -M --mfa-prompt -h|--host:host -p|--port:number "
        "-v|--version --help "
        "--authenticator:text --region:text",
        does="execute",
        example="snowsql -q 'SELECT 1'",
    ),
    P(
        "mongosh",
        "database*",
        also="mongo",
        special="mongo",
        options="--eval:sql -f|--file:sql --host:host --port:number -u|--username:user -p|--password:text --nodb "
        "--norc --quiet "
        "--shell --authenticationDatabase:text --authenticationMechanism:text --tls --ssl --tlsCAFile:read "
        "--apiVersion:text "
        "--tlsCertificateKeyFile:read --json?:text --version --help -h",
        does="execute",
        example="mongosh --eval 'db.users.find()'",
    ),
    P(
        "redis-cli",
        "text*",
        also="valkey-cli keydb-cli",
        special="redis",
        options="-h:host -p:number -s:text -a|--pass:text --user:user -u:host -n:database -r:number -i:number -x "
        "-X:text -d:text -D:text "
        "-c -3 -2 -e -t:number --tls --cacert:read --cert:read --key:read --sni:text --insecure --raw --no-raw "
        "--csv --json --stat "
        "--bigkeys --memkeys --hotkeys --latency --latency-history --scan --pattern:text --count:number --pipe "
        "--pipe-timeout:number --rdb:write --eval:read --no-auth-warning --quoted-input --quoted-pattern:text "
        "--verbose --version|-v --help --askpass --intrinsic-latency:number",
        does="execute",
        example="redis-cli GET key",
    ),
    P(
        "pg_dump",
        "database?",
        special="db_tool",
        action="sql:dump",
        options=_PG
        + "-d|--dbname:database -f|--file:write -F|--format:text -j|--jobs:number -n|--schema:text -t|--table:table "
        "-T|--exclude-table:text -N|--exclude-schema:text -Z|--compress:text -E|--encoding:text -S|--superuser:text "
        "--exclude-table-data:text --role:text --section:text --snapshot:text --rows-per-insert:number "
        "--lock-wait-timeout:text "
        "--extension:text -a -b -B -c -C -O -s -x --data-only --schema-only --clean --create --if-exists --inserts "
        "--column-inserts --no-owner --no-privileges --no-acl",
        does="read",
        words=1,
        example="pg_dump -f app.sql app",
    ),
    P(
        "pg_dumpall",
        special="db_tool",
        action="sql:dump",
        options=_PG + "-d|--dbname:database -f|--file:write -l|--database:text -S|--superuser:text --role:text "
        "--exclude-database:text --lock-wait-timeout:text -a -c -g -O -r -s -t -x --globals-only --roles-only "
        "--no-role-passwords",
        does="read",
        tags="wholesale",
        example="pg_dumpall -f all.sql",
    ),
    P(
        "pg_restore",
        "read*",
        special="db_tool",
        action="sql:restore",
        options=_PG
        + "-d|--dbname:database -f|--file:write -F|--format:text -j|--jobs:number -n|--schema:text -t|--table:table "
        "-L|--use-list:read -I|--index:text -P|--function:text -S|--superuser:text -T|--trigger:text "
        "-N|--exclude-schema:text "
        "--role:text --section:text -a -c|--clean!clean -C|--create -l|--list -O -s -x -1 --if-exists --no-owner "
        "--data-only "
        "--schema-only --exit-on-error",
        flags={"clean": Adds(effects=effects("destructive"), risk=_LOADS.risk, irreversible=True)},
        dryrun="-l",
        does="write",
        tags="unread",
        example="pg_restore -d app app.dump",
    ),
    P(
        "mysqldump",
        "database? table*",
        also="mariadb-dump mysqlpump",
        special="db_tool",
        action="sql:dump",
        options=_MY + "-r|--result-file:write -T|--tab:write -w|--where:text --ignore-table:text --log-error:write "
        "-A|--all-databases!all-databases "
        "-B|--databases -d|--no-data -t -n -R -E -f -q -c -e --single-transaction --routines --triggers --events "
        "--add-drop-table --set-gtid-purged:text --column-statistics:text --default-auth:text --plugin-dir:text "
        "--master-data?:text",
        flags={
            "--default-auth": _LOADS,
            "--plugin-dir": _LOADS,
            "all-databases": Adds(tags=("wholesale",)),
        },
        does="read",
        example="mysqldump shop > shop.sql",
    ),
    P(
        "mongodump",
        special="db_tool",
        action="mongo:dump",
        also="mongoexport bsondump",
        options=_MONGO
        + "-o|--out:write --archive?:write -f|--fields:text --type:text --jsonArray --pretty --sort:text "
        "--limit:number --excludeCollection:text -j:number --readPreference:text --bsonFile:read --outFile:write",
        does="read",
        example="mongodump --db app --out dump",
    ),
    P(
        "mongorestore",
        "read*",
        also="mongoimport",
        special="db_tool",
        action="mongo:restore",
        options=_MONGO
        + "--archive?:read --dir:read --drop!drop --nsInclude:text --nsExclude:text --nsFrom:text --nsTo:text "
        "--file:read --type:text --headerline --jsonArray --mode:text --upsertFields:text -j:number "
        "-f|--fields:text --dryRun",
        dryrun="--dryRun",
        flags={"drop": Adds(effects=effects("destructive"), irreversible=True)},
        does="write",
        example="mongorestore --db app dump/app",
    ),
    P(
        "createdb",
        "database? text?",
        special="db_tool",
        action="sql:create",
        options=_PG + "-D|--tablespace:text -E|--encoding:text -l|--locale:text -O|--owner:text -T|--template:text "
        "--lc-collate:text "
        "--lc-ctype:text --icu-locale:text --strategy:text",
        does="write",
        example="createdb app",
    ),
    P(
        "createuser",
        "user?",
        special="db_tool",
        action="sql:create",
        options=_PG + "-s|--superuser!superuser -r|--createrole!createrole --replication!replication "
        "--bypassrls!bypassrls -d|--createdb -D|--no-createdb -S|--no-superuser -R|--no-createrole -l|--login "
        "-L|--no-login -i|--inherit -I|--no-inherit --no-replication --no-bypassrls -P|--pwprompt --interactive "
        "-c|--connection-limit:number -g|--role|--member-of:role -m|--member|--with-member:text "
        "-a|--admin|--with-admin:text -v|--valid-until:text -e|--echo",
        flags=dict.fromkeys(("superuser", "createrole", "replication", "bypassrls", "-g", "-a"), _RIGHTS),
        does="write",
        example="createuser app",
    ),
    P(
        "dropdb",
        "database",
        special="db_tool",
        also="dropuser",
        action="sql:drop",
        options=_PG + "-f|--force!force -i|--interactive --if-exists",
        does="destructive",
        irreversible=True,
        risk="high",
        compensator="restore from a dump taken before",
        example="dropdb app",
    ),
    P(
        "pg_isready",
        special="db_tool",
        also="pg_config pg_controldata pg_waldump pg_amcheck",
        action="sql:show",
        options=_PG + "-d|--dbname:database -t|--timeout:number -q -D:text",
        does="read",
        example="pg_isready -h db",
    ),
    P(
        "vacuumdb",
        "database?",
        also="reindexdb clusterdb analyzedb",
        special="db_tool",
        action="sql:maintain",
        options=_PG
        + "-d|--dbname:database -t|--table:table -j|--jobs:number -n:text -N:text -P:number -a -f -F -z -Z -q "
        "-i:text -s -S:text",
        does="write",
        example="vacuumdb app",
    ),
    P(
        "pg_basebackup",
        special="db_tool",
        action="sql:dump",
        options=_PG
        + "-D|--pgdata:write -F|--format:text -X|--wal-method:text -c:text -r:text -z -Z:text -P -R -l:text -S:text "
        "-d:text",
        does="read",
    ),
    P(
        "pg_ctl",
        subs=(
            P(
                "start",
                options="-D|--pgdata:read -l|--log:write -o|--options:text -p:code.sh -s -t:number -w -W -c",
                action="sql:server",
                does="spawn",
            ),
            P(
                "restart",
                options="-D|--pgdata:read -l|--log:write -o|--options:text -p:code.sh -m:text -s -t:number -w -W -c",
                action="sql:server",
                does="spawn",
            ),
            P("stop", options="-D|--pgdata:read -m|--mode:text -s -t:number -w -W", action="proc:kill", does="execute"),
            P("reload", options="-D|--pgdata:read -s", action="sql:server", does="execute"),
            P(
                "promote",
                options="-D|--pgdata:read -s -t:number -w -W",
                action="sql:server",
                does="write",
                risk="medium",
            ),
            P("status", options="-D|--pgdata:read", action="sql:show", does="read"),
            P("initdb", options="-D|--pgdata:write -o:text -s", action="sql:create", does="write", also="init"),
        ),
        options="-D|--pgdata:read -l|--log:write -o|--options:text -m|--mode:text -s -t:number -w -W",
        words=2,
        example="pg_ctl -D data start",
    ),
    P(
        "initdb",
        "write?",
        action="sql:create",
        options="-D|--pgdata:write -E|--encoding:text -U|--username:text -A|--auth:text --auth-host:text "
        "--auth-local:text "
        "--locale:text --pwfile:read -X|--waldir:write -L:text -T:text -W -k -n -N -s -c:text",
        does="write",
        example="initdb -D data",
    ),
    P(
        "mysqld_safe",
        special="opaque",
        also="cassandra clickhouse-server",
        action="sql:server",
        does="spawn",
    ),
    P(
        "redis-server",
        "read?",
        also="valkey-server redis-sentinel",
        action="redis:server",
        options="--port:number --bind:text --dir:write --dbfilename:text --daemonize:text --requirepass:text "
        "--loglevel:text "
        "--logfile:write --save:text --appendonly:text --maxmemory:text --maxmemory-policy:text --slaveof:text "
        "--replicaof:text "
        "--protected-mode:text --loadmodule:text --pidfile:write -v|--version -h|--help --test-memory:number",
        flags={"--loadmodule": Adds(opaque="a module is loaded into the server")},
        dryrun="-v -h --test-memory",
        does="spawn",
        example="redis-server --port 7000",
    ),
    P(
        "redis-benchmark",
        special="db_tool",
        action="redis:benchmark",
        does="write",
        options="-h:host -p:number -c:number -n:number -t:text -q",
    ),
    P(
        "mysqladmin",
        subs=(
            *(
                P(name, action="sql:show", does="read")
                for name in ("status", "ping", "version", "variables", "processlist", "extended-status")
            ),
            P("create", "database", action="sql:create", does="write"),
            P(
                "drop",
                "database",
                action="sql:drop",
                does="destructive",
                irreversible=True,
                risk="high",
                options="-f|--force",
            ),
            P("shutdown", action="proc:kill", does="execute", risk="medium"),
            P("password", action="sql:grant", does="write", tags="privileged secret"),
            *(
                P(name, action="sql:maintain", does="write")
                for name in ("reload", "refresh", "flush-privileges", "flush-tables", "kill")
            ),
        ),
        also="mariadb-admin",
        options=_MY + "-f|--force -i|--sleep:number -c|--count:number",
        words=2,
        example="mysqladmin status",
    ),
    P(
        "mysqlimport",
        "database read+",
        special="db_tool",
        action="sql:import",
        options=_MY + "--local -d|--delete!delete -i -r --fields-terminated-by:text",
        flags={"delete": Adds(effects=effects("destructive"), irreversible=True)},
        does="write",
    ),
    P(
        "mysqlcheck",
        "database table*",
        special="db_tool",
        also="mysqlshow mariadb-check",
        action="sql:show",
        options=_MY + "-A -B -c -o -r -a",
        does="read",
    ),
    P(
        "influx",
        also="influx2",
        special="cloud_cli",
        options="-host|--host:host -database:database -execute:sql -t|--token:text -o|--org:org "
        "-b|--bucket:bucket -c|--active-config:config "
        "-port:number -username:text -password:text -precision:text -format:text",
        action="influx",
        example="influx bucket list",
    ),
)
