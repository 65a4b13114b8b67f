"""Scripting languages with tools of their own: Ruby, PHP, Perl, R, Lua …"""

from __future__ import annotations

from .kinds import EDITS, drops, each, installs, project, publishes, removes, restores, runs_in_env, worded
from .spec import Adds, P, effects

__all__ = ["PROGRAMS"]

_GEM = (
    "-v|--version:version -s|--source:registry --install-dir|-i:write --bindir|-n:write -P:text --platform:text "
    "-g|--file:runs --user-install"
)
_DB_TASKS = (
    "db:drop db:reset db:migrate:reset db:schema:load db:purge db:structure:load db:truncate_all db:rollback "
    "db:migrate:down"
)
_PHP_CHECKS = (
    "-c|--configuration:runs -l|--level:text -a|--autoload-file:runs --memory-limit:text --standard:loads "
    "--bootstrap:runs --plugin:runs --rules|--ruleset:loads --dry-run --fix"
)
_COMPOSER_IN = "-d|--working-dir:runs"

PROGRAMS = (
    # Ruby
    P("gem", words=2, example="gem install rails", subs=(installs("install", also="i update", options=_GEM, words=2),
        removes("uninstall", options=f"{_GEM} -a|--all -I|--ignore-dependencies -x|--executables -D", words=2),
        publishes("push", "gem:push", "send*",
            options="-k:text --host:registry"), P("yank", "package", options="-v:text --host:registry",
            action="gem:yank",
            does="destructive network", irreversible=True,
        tags="external", risk="high", compensator="none: a version stays taken"), P("owner", "package",
            options="-a:user -r:user", action="gem:owner",
        does="network write", tags="external privileged", risk="high"), *each("gem", "list env environment which "
            "contents specification dependency help "
        "info check server-list stale", "read"), *each("gem", "search outdated query", "network"), P("open", "text",
        options="-e|--editor:command -v:text",
        action="gem:open", does="execute"), project("build", "runs*", options="-o:write -C:runs"), *each("gem",
            "cleanup pristine unpack fetch "
        "rdoc rebuild lock", "write network"), P("sources", "text*", action="gem:sources", does="read",
            options="-a|--add:registry!changes -r|--remove:registry!changes -c|--clear-all!changes -u -l|--list",
            flags={"changes": Adds(effects=effects("write"), tags=("redirects",))}, words=2),
        P("exec", special="package_run", options="-g|--gem:package -v:text",
        does="execute"),
        P("server", action="gem:server", does="spawn"), P("signin", also="signout cert", action="gem:signin",
            does="network write", tags="secret"))),
    P("bundle", also="bundler", words=2, example="bundle exec rspec", options="--gemfile:runs -r:text",
        subs=(restores("install", also="update package "
        "cache lock pristine", options="--gemfile:runs --path:write --with:text --without:text --jobs|-j:number "
        "--retry:number"),
        runs_in_env("exec", options="--gemfile:runs --keep-file-descriptors"), installs("add",
            options="--version|-v:text --group|-g:text --source:registry "
        "--git:package"), P("remove", "package*", action="pkg:remove", does="write"), *each("bundle",
        "list info show outdated check doctor env platform "
        "licenses help audit", "read"), *each("bundle", "config", "write", special="package_setting"),
        *each("bundle", "init binstubs clean gem viz", "write"),
        P("plugin", words=3, subs=(installs("install", options="--source:registry --git:package --branch:text "
            "--ref:text --version:text --path:runs"), *each("bundle", "list help", "read"), removes("uninstall"))),
        P("open", special="opaque", does="execute"),
        P("console", special="opaque", does="execute")), default=restores("bundle")),
    P("erb", "runs*", options="-x -n -v -d -P -U -T:text -S:number -E:text -r:runs -h", stdin="code.other",
        action="exec:project", tags="unread", does="execute", example="erb -x views/index.erb"),
    P("rake", words=2, options="-f|--rakefile:runs -C|--directory:runs -r|--require:runs -I:runs "
        "-e|--execute:code.ruby -E:code.ruby -p:code.ruby "
        "-R|--rakelibdir:runs -T?:text -j:number -n|--dry-run -P -D?:text", subs=(drops(_DB_TASKS.split(maxsplit=1)[0],
        also=_DB_TASKS.partition(" ")[2]),
        publishes("release", "gem:push")), default=project("rake", "task*",
            options="-f|--rakefile:runs -e|--execute:code.ruby "
        "-p:code.ruby -r|--require:runs -n|--dry-run -T?:text")),
    project("rspec", "runs*", also="minitest cucumber guard spring m", options="-e:text -t|--tag:text "
        "-r|--require:runs -I:runs -f|--format:text -o|--out:write "
        "-O|--options:runs --seed:text -P:text -E:text -p:text"),
    P("rubocop", "checked*", also="standardrb reek brakeman", options="-a|--autocorrect|--auto-correct!fix "
        "-A|--autocorrect-all!fix -c|--config:runs "
        "-r|--require:runs --only:text --except:text -f:text -o|--out:write --auto-gen-config", does="read execute",
        action="exec:rubocop",
        flags={"fix": EDITS}),
    P("rails", words=2, subs=(drops(_DB_TASKS.split(maxsplit=1)[0], also=_DB_TASKS.partition(" ")[2]),
        *each("rails", "credentials:show credentials:edit credentials:diff encrypted:show encrypted:edit secrets:show "
            "secrets:edit", "read execute", tags="secret unread"),
        *each("rails", "routes about stats notes --version -v", "execute", tags="unread"),
        project("test", "runs*", also="t test:all test:system test:models test:controllers test:integration",
            options="-n|--name:words -e|--environment:text -s|--seed:text -b|--backtrace -d|--defer-output "
                "-f|--fail-fast -c|--color -v|--verbose -w|--warnings --profile?:text -p|--pride",
            example="rails test -n /valid/"),
        project("server", also="s", does="spawn execute"), P("console", also="c dbconsole db",
            special="opaque", does="execute"),
        P("runner", "code.rails text*", also="r", options="-e:text", does="execute"), P("new", "write",
            options="-d:text -m|--template:runs",
            action="rails:new", does="write network execute"), *each("rails", "generate g destroy d", "execute write",
                tags="unread")),
        default=project("rails", "task*")),
    P("rbenv", also="asdf mise rtx goenv jenv-shell phpenv nodebrew tfenv", words=2, subs=(P("install", "package*",
        also="upgrade", action="pkg:install",
        does="network write execute", tags="install", options="-l|--list"), *each("rbenv", "versions version which "
            "root whence list ls current where help "
        "list-all latest info doctor outdated", "read"), *each("rbenv", "local global rehash shell set reshim unuse",
        "write"), *each("rbenv", "use", "write", operands="loads*", options="-g|--global -f|--force -p|--path:write"),
        P("trust", "runs?", options="-a|--all!all -q -y --untrust --show --ignore", action="rbenv:trust", does="write",
            flags={"all": Adds(opaque="settings of every folder above may run code")}),
        removes("uninstall", options="-a|--all -y|--yes -f|--force", also="remove"),
        runs_in_env("exec", options="-C:runs --"), P("ls-remote", also="list-remote commands",
            action="rbenv:ls-remote", does="network"), P("plugin", "text*", also="plugins", action="pkg:install",
            does="network write execute", tags="install"),
        project("run", "task text*"), P("activate", action="exec:mise"))),
    # PHP, Perl, R, Lua
    P("composer", words=2, options=f"{_COMPOSER_IN} -n -q -v --no-plugins --no-scripts",
        example="composer install", subs=(restores("install",
        also="i update u upgrade dump-autoload dumpautoload reinstall", options=f"{_COMPOSER_IN} --repository:registry",
            dryrun="--dry-run"),
            installs("require", also="r req", options=_COMPOSER_IN, words=2),
        P("global", words=3, subs=(installs("require"), restores("update"), P("remove", "package*",
            action="pkg:remove", does="write"), *each("composer",
            "show", "read")), default=P("global", special="opaque", does="execute")), P("create-project",
            "package write? text*", action="pkg:run",
            does="network write execute", tags="install unread", options="--repository:registry -s:text"), P("remove",
                "package*", also="rm",
            action="pkg:remove", does="write execute", options=_COMPOSER_IN),
        project("run-script", "task text*", also="run",
            options=_COMPOSER_IN), runs_in_env("exec", options=f"{_COMPOSER_IN} -l|--list"),
        *each("composer", "show info validate diagnose status licenses why depends prohibits why-not "
            "check-platform-reqs about browse home fund suggests", "read"),
        *each("composer", "outdated search audit", "network"),
        *each("composer", "config", "write", special="package_setting"),
        *each("composer", "init clear-cache clearcache archive bump", "write"),
        P("self-update", also="selfupdate", action="pkg:install", does="network write execute", tags="install")),
            default=project("composer", "task text*", options=_COMPOSER_IN)),
    project("phpunit", "runs*", also="pest phpspec codecept behat paratest infection",
        options="-c|--configuration:runs --bootstrap:runs --filter:text "
        "--testsuite:text --group:text --log-junit:write --coverage-html:write --coverage-clover:write "
        "--include-path:runs -d:text"),
    worded(P("phpstan", "checked*", also="psalm phpcs php-cs-fixer phpcbf rector pint", options=_PHP_CHECKS,
        does="read write execute", action="exec:phpstan", dryrun="--dry-run"),
        "analyse analyze check describe fix list-files process"),
    P("phpmd", "checked text loads*", options=_PHP_CHECKS, does="read execute", action="exec:phpstan"),
    P("artisan", words=2, also="please-artisan", subs=(drops("migrate:fresh", also="migrate:reset migrate:refresh "
        "migrate:rollback db:wipe"),
        *each("artisan", "config:show env:decrypt", "read execute", tags="secret unread"),
        P("tinker", also="db", special="opaque", does="execute"), project("serve", also="queue:work queue:listen "
            "horizon schedule:work", does="spawn execute")),
        default=project("artisan", "task? text*")),
    P("cpan", "package*", also="cpanm cpanp cpm", special="installs", action="pkg:install",
        does="network write execute", tags="install",
        options="-l|--local-lib:write -L:write -j:runs -M|--mirror:registry --installdeps --notest -n -f -i -T -v -q "
            "-e:code.perl"),
    project("prove", "runs*", options="-I:runs -P:text -M:text -e|--exec:command -j:number --harness:text -a:write -r "
        "-v -l -b --source:text"),
    project("minil", also="dzil milla shipit mbtiny"), P("perldoc", "text*", does="read", options="-f:text -q:text "
        "-v:text -d:write"),
    P("R", special="r_program", does="execute", subs=(project("BATCH", "runs write?"), P("INSTALL", "package*",
        special="installs", action="pkg:install",
        does="write execute", flags={"own": Adds(action="pkg:restore", tags=("project",)),
            "named": Adds(tags=("install",))}, options="-l|--library:write"),
        P("REMOVE", "package*", action="pkg:remove", does="write"), project("build", "runs*"), project("check",
            "runs*", options="-o:write"),
        *each("R", "config Rd2txt --help --version", "read"))),
    P("luarocks", words=2, subs=(installs("install", options="--server|--from:registry --tree:write --local"),
        restores("make", "runs*"), project("test",
        also="build"), P("remove", "package*", action="pkg:remove", does="write"), *each("luarocks",
            "list show path which config= doc", "read"),
        *each("luarocks", "search", "network"), publishes("upload", "luarocks:publish", "send*"), *each("luarocks",
            "init new_version pack", "write"))),
    P("luac", "read*", options="-o:write -l -p -s", does="write", also="luacheck"),
    P("stylua", "edit*", options="-c|--check --config-path|-f:read -g:text --indent-type:text --quote-style:text",
        dryrun="-c", does="write"),
    project("busted", "runs*", options="-m:runs --helper:runs"), P("sqlfluff", words=2, subs=(P("lint", "checked*",
        also="parse", options="--dialect|-d:text", action="sqlfluff:lint", does="read"),
        P("fix", "edit*", also="format", options="--dialect|-d:text", does="write"), *each("sqlfluff",
            "rules dialects version render", "read"))),
    project("forge", options="--use:runs --root:runs --config-path:runs --match-test:text"), project("hardhat",
        also="truffle brownie anchor anvil"),
)  # fmt: skip
