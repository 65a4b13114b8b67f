"""Infrastructure as code, clouds, hosted services. `special="cloud_cli"`: read by a table of verbs (clouds.py)."""

from __future__ import annotations

from ...value import TYPE_CHECKING
from .spec import Adds, P, effects

if TYPE_CHECKING:
    from typing import Any

    from .spec import Program

__all__ = ["PROGRAMS"]

_TF = (
    "-var:text --var:text -var-file|--var-file:taken -target|--target:resource -replace|--replace:resource "
    "-out|--out:write "
    "-state|--state:read -state-out:write -backup:write -lock?:text -lock-timeout:text -input?:text "
    "-parallelism:number -refresh?:text "
    "-no-color -json -compact-warnings -detailed-exitcode -auto-approve|--auto-approve!auto-approve "
    "-destroy!destroy -refresh-only "
    "-allow-missing -upgrade -reconfigure -migrate-state -force-copy -backend?:text -backend-config:setting -get?:text "
    "-plugin-dir:runs "
    "-lockfile:text -from-module|--from-module:source!brings "
    "-recursive -diff -check -write?:text -list?:text -raw -id:text -config:read "
    "-provider:text "
    "-filter:text -test-directory:text -verbose -plan -dry-run -force!force -ignore-remote-version "
    "-generate-config-out:write "
    "--terragrunt-working-dir:list --terragrunt-non-interactive --terragrunt-config:read --non-interactive "
    "--working-dir:list -show-sensitive "
    "--source|--terragrunt-source:loads --tf-path|--terragrunt-tfpath:starts "
    "--all --queue-include-dir:text --queue-exclude-dir:text -type:text -module-depth:text -or-create?:text "
    "-no-tests -help -chdir:runs"
)


def _tf(names: str, does: str, operands: str = "text*", group: str = "", **more: Any) -> tuple[Program, ...]:
    more = {"options": _TF, **more}
    return tuple([P(n, operands, action=f"terraform:{group}{n}", does=does, words=2, **more) for n in names.split()])


_DESTROYS = {"destroy": Adds(effects=effects("destructive"), irreversible=True, action="terraform:destroy")}
_BRINGS = Adds(action="pkg:install", tags=("install",))  # a module that is copied here
_IN_THE_CLEAR = {"-json": Adds(tags=("secret",))}  # what is marked as sensitive too
_PLAIN = {"show-secrets": Adds(tags=("secret",))}
_CHANGED: dict[str, Any] = {"tags": "external", "risk": "high", "irreversible": True}
_TERRAFORM = (
    *_tf("plan test", "network execute", flags={"destroy": Adds()}, tags="project"),
    *_tf("output", "read", "name*", special="asked_setting", options="-raw -json -no-color -state:read",
        flags=_IN_THE_CLEAR),
    *_tf("show", "read", "read*", flags=_IN_THE_CLEAR),
    *_tf("validate graph version metadata", "read", "read*"),
    P("providers", words=3, subs=(*_tf("schema", "read"), *_tf("lock", "network write"),
        *_tf("mirror", "network write", "write")), default=_tf("providers", "read", "read*")[0]),
    *_tf("console", "read", special="terraform_console"),
    *_tf("fmt", "write", "edit*"),
    *_tf("init get", "network write execute", tags="project", flags={"brings": _BRINGS}),
    *_tf("apply up", "network write execute destructive", flags=_DESTROYS,
        compensator="apply the configuration before it", **_CHANGED),
    *_tf("destroy", "destructive network", "resource*", **_CHANGED),
    *_tf("import taint untaint refresh", "network write", "resource*", tags="external"),
    *_tf("force-unlock", "network write", tags="external force", risk="medium"),
    *_tf("login logout", "network write", tags="secret"),
    P("state", words=3, subs=(*_tf("list show", "read network", group="state-"),
        *_tf("pull", "read network", group="state-", tags="secret"),
        *_tf("rm", "destructive network", "resource*", "state-", dryrun="-dry-run", **_CHANGED),
        *_tf("mv replace-provider push", "network write", "resource*", "state-", tags="external",
            dryrun="-dry-run"))),
    P("workspace", also="env", words=3, subs=(*_tf("list show", "read", group="workspace-"),
        *_tf("select new", "write", "workspace*", "workspace-"),
        *_tf("delete", "destructive network", "workspace*", "workspace-", **_CHANGED))),
)  # fmt: skip
_RUN_ALL = P("run-all", words=3, subs=_TERRAFORM, options=_TF, also="run")
# `graph destroy` goes through all units that depend on this one.
_RUN_GRAPH = P("graph", words=3, subs=_TERRAFORM, options=_TF, default=_tf("graph", "read", "read*")[0])

_SHARED = (
    "-h|--help -v --version -q|--quiet --verbose --debug --json --yes -y --force!force -f!force --all!all --no-color "
)


def _cli(name: str, options: str = "", *subs: Program, **more: Any) -> Program:
    return P(name, special="cloud_cli", options=_SHARED + options, subs=subs, words=2, **more)


def _deploys(name: str, program: str, **more: Any) -> Program:
    """Builds the project and puts it where others see it."""
    tags = "external sends unread"
    return P(
        name, action=f"{program}:deploy", does="network write execute", tags=tags, words=2, **{"risk": "medium", **more}
    )


def _serves(names: str, program: str, **more: Any) -> tuple[Program, ...]:
    return tuple(
        [
            P(n, action=f"{program}:{n}", does="spawn execute network", tags="unread", words=2, **more)
            for n in names.split()
        ]
    )


def _sends(name: str, action: str, **more: Any) -> Program:
    return P(name, action=action, does="network write", tags="external sends", words=2, **more)


PROGRAMS = (
    P("terraform", options="-chdir:runs -version -help", subs=_TERRAFORM, also="tofu opentofu", words=2,
        example="terraform plan -out tf.plan"),
    P("terragrunt", options=_TF, subs=(*_TERRAFORM, _RUN_ALL, _RUN_GRAPH, *_tf("hclfmt hcl", "write"),
        *_tf("graph-dependencies render-json find list", "read")),
      words=2, example="terragrunt plan"),
    P("pulumi", special="cloud_cli", options=_SHARED + "-s|--stack:stack -C|--cwd:list --config-file:read "
        "-m|--message:text -t|--target:resource --skip-preview "
      "--diff --refresh -p|--parallel:number --color:text --policy-pack:text --secrets-provider:text "
      "-c|--config:text --path --secret --plaintext "
      "--show-secrets!show-secrets --file:write -o|--output:text -e|--emoji",
      flags=_PLAIN, subs=(
          *(P(n, action=f"pulumi:{n}", does="network execute", tags="project unread",
              flags=_PLAIN, options="-s|--stack:stack --diff --json -r|--refresh --show-secrets!show-secrets")
            for n in ("preview", "pre")),
          *(P(n, action="pulumi:up", does="destructive network write execute",
              options="-s|--stack:stack -y|--yes!yes -f|--skip-preview -t|--target:resource "
              "-m|--message:text --diff -r|--refresh -C|--cwd:list", **_CHANGED) for n in ("up", "update", "watch")),
          P("destroy", action="pulumi:destroy", does="destructive network",
              options="-s|--stack:stack -y|--yes -t|--target:resource --remove", **_CHANGED),
          P("new", action="pulumi:new", does="network write execute", tags="install",
              options="--dir:write -n|--name:text -s|--stack:stack -y|--yes -f|--force -g|--generate-only"),
          P("install", action="pkg:restore", does="network write execute", tags="project"),
          P("login", action="pulumi:login", does="network write", tags="secret external",
              options="-l|--local -c|--cloud-url:text"),
          P("logs", action="pulumi:logs", does="read network", options="-s|--stack:stack -f|--follow --since:text "
              "-r:text"),
          P("console", action="pulumi:console", does="read"),
      ), words=2, example="pulumi preview"),
    P("cdk", options="-a|--app:code.sh -c|--context:text --profile:profile -r|--role-arn:text -o|--output:write -v "
        "--verbose --json -p|--plugin:text --no-color --ci",
      flags={"-p": Adds(opaque="a plug-in is loaded")}, subs=(
        *(P(n, "stack*", action=f"cdk:{n}", does="network execute", tags="unread project",
            options="-a|--app:code.sh --profile:profile -c:text -l|--long -q --all")
          for n in ("ls", "list", "diff", "synth", "synthesize", "doctor", "metadata", "notices", "docs",
              "acknowledge", "context")),
        *(P(n, "stack*", action=f"cdk:{n}", does="destructive network write execute", tags="external unread",
            risk="high", irreversible=True,
            options="-a|--app:code.sh --profile:profile --all!all --require-approval:text --hotswap "
                "--parameters:text -O|--outputs-file:write -f|--force -e "
            "--exclusively --no-rollback --concurrency:number") for n in ("deploy", "watch", "bootstrap", "import",
            "migrate", "rollback")),
        P("destroy", "stack*", action="cdk:destroy", does="destructive network", tags="external", risk="high",
            irreversible=True, options="-f|--force --all!all --profile:profile"),
        P("init", "text*", action="cdk:init", does="write network execute", tags="install",
            options="-l|--language:text --list --generate-only"),
        P("version", does=""),
      ), words=2, example="cdk diff"),
    P("sam", options="--profile:profile --region:region --debug", subs=(
        P("build", action="exec:project", does="execute write", tags="unread",
            options="-t|--template:runs -u|--use-container -b|--build-dir:write --cached -p"),
        P("validate", action="sam:validate", does="read network", options="-t|--template:read --lint"),
        P("init", action="sam:init", does="network write", options="-n|--name:text -r|--runtime:text -d:text "
            "--app-template:text -o|--output-dir:write -l|--location:text", tags="install"),
        P("local", action="sam:local", does="spawn execute", tags="unread"),
        P("package", action="sam:package", does="network write", tags="external sends",
            options="-t|--template:read --s3-bucket:bucket --output-template-file:write"),
        _deploys("deploy", "sam", options="-g|--guided --stack-name:stack --profile:profile --region:region "
            "-t|--template-file:read --s3-bucket:bucket --capabilities:text"),
        P("sync", action="sam:deploy", does="network write execute", tags="external sends unread"),
        P("publish", action="sam:publish", does="destructive network", tags="external sends", irreversible=True,
            risk="high"),
        P("delete", action="sam:delete", does="destructive network", tags="external", irreversible=True,
            risk="high", options="--stack-name:stack --no-prompts"),
        P("logs", action="sam:logs", does="read network"), P("list", action="sam:list", does="read network"),
      ), words=2, example="sam build"),
    _cli("serverless", "-s|--stage:stage -r|--region:region -c|--config:read --aws-profile:profile "
        "-f|--function:function --data:text -p|--path:read --template:text",
         _deploys("deploy", "serverless", options="-s|--stage:stage -r|--region:region -f|--function:function "
             "--force --aws-profile:profile"),
         P("package", action="exec:project", does="execute write", tags="unread"), *_serves("offline dev",
             "serverless"),
         P("plugin", action="serverless:plugin", does="network write execute", tags="install"), also="sls",
             example="serverless deploy"),
    P("aws", special="aws", options="--profile:profile --region:region --output:text --query:text "
        "--endpoint-url:endpoint --ca-bundle:read --cli-binary-format:text "
      "--cli-read-timeout:number --cli-connect-timeout:number --color:text --debug --no-verify-ssl!no-verify-ssl "
      "--no-paginate --no-sign-request "
      "--no-cli-pager --no-cli-auto-prompt --cli-auto-prompt --version --recursive!recursive --delete!delete "
      "--dryrun --dry-run --quiet --force!force "
      "--exclude:text --include:text --acl:acl --bucket:bucket --key:key --function-name:function "
      "--instance-ids:instances --stack-name:stack --cluster:cluster "
      "--cluster-name:cluster --table-name:table --db-instance-identifier:database --user-name:user "
      "--role-name:role --secret-id:secret-id "
      "--decrypt --with-decryption --human-readable --summarize --follow --no-follow-symlinks --only-show-errors "
      "--no-progress --storage-class:text "
      "--log-group-name:log-group --queue-url:queue --topic-arn:topic --zip-file:text --template-body:text "
      "--policy:text --body:read --outfile:write "
      "--skip-final-snapshot!skip-final-snapshot --force-delete-without-recovery!force-delete --no-include-email "
      "--no-overwrite",
      words=3, example="aws s3 ls"),
    _cli("gcloud", "--project:project --account:account --configuration:configuration --zone:zone --region:region "
        "--format:text --filter:text --limit:number "
         "--impersonate-service-account:account --flags-file:read --access-token-file:read --verbosity:text "
         "--command:code.sh --cluster:cluster --image:image "
         "--source:read --key-file:read --async --allow-unauthenticated!allow-unauthenticated --member:member "
         "--role:role --location:location --uri --sort-by:text "
         "--page-size:number --billing-project:text --machine-type:text --image-family:text --image-project:text "
         "--env-vars-file:read --config:read",
         P("auth", words=3, subs=(*(P(n, action=f"gcloud:auth:{n}", does="network write", tags="secret external",
             words=3, options="--key-file:read --project:project")
           for n in ("login", "activate-service-account", "application-default", "revoke", "configure-docker")),
           *(P(n, action=f"gcloud:auth:{n}", does="read network", tags="secret",
               words=3) for n in ("print-access-token", "print-identity-token")),
           P("list", action="gcloud:auth:list", does="read"))),
         P("config", words=3, subs=(*(P(n, "text*", action=f"gcloud:config:{n}", does="read",
             words=3) for n in ("list", "get", "get-value")),
           *(P(n, "text*", action=f"gcloud:config:{n}", does="write", words=3) for n in ("set", "unset",
               "configurations")))),
         P("components", words=3, subs=(P("list", action="gcloud:components:list", does="read network"), *(P(n,
             "package*", action="pkg:install", does="network write execute",
           tags="install") for n in ("install", "update", "reinstall")), P("remove", "package*",
               action="pkg:remove", does="write"))),
         P("version", action="gcloud:version", does=""), P("info", action="gcloud:info", does="read"), P("topic",
             does=""), P("init", action="gcloud:init", does="network write", tags="secret"),
         P("interactive", special="opaque", does="execute"), example="gcloud compute instances list"),
    _cli("gsutil", "-m -o:text -u:project -r -R -d -n -c -a -l -h:text -p:project -i:text -x:text",
         *(P(n, action=f"gsutil:{n}", does="read network", words=2, options="-l -h -r -b -L -d -s "
             "-c") for n in ("cat", "du", "stat", "hash")),
         P("signurl", action="gsutil:signurl", does="network write", tags="external sends", words=2),
         *(P(n, "text*", action=f"gsutil:{n}", does="network write", tags="external privileged", words=2)
           for n in ("acl", "defacl", "iam", "setmeta", "cors", "lifecycle", "versioning", "web", "label",
               "rewrite", "compose", "bucketpolicyonly", "notification")),
         example="gsutil ls gs://bucket"),
    P("bq", options="--project_id:project --dataset_id:dataset --location:location --format:text --quiet --headless "
        "--credential_file:read --apilog:text --flagfile:read", subs=(
        P("query", "sql*", special="sql_client", stdin="sql.bigquery", options="--use_legacy_sql?:text "
            "--nouse_legacy_sql --dry_run -n|--max_rows:number --format:text --destination_table:table "
          "--replace --append_table --parameter:text --flagfile:read --project_id:host --location:text --batch "
          "--use_cache?:text", does="execute"),
        *(P(n, "name*", action=f"bq:{n}", does="read network", words=2, options="--schema --format:text "
            "-n|--max_results:number -j -d -a -t --filter:text") for n in ("ls", "show", "head", "info", "wait",
            "get-iam-policy")),
        *(P(n, "name*", action=f"bq:{n}", does="network write", tags="external", words=2,
            options="--table --dataset -d -t --schema:text --expiration:number --description:text --location:text "
            "--source_format:text --autodetect --skip_leading_rows:number --replace -f -n") for n in ("mk", "cp",
            "update", "load", "insert", "extract", "cancel", "add-iam-policy-binding", "set-iam-policy")),
        P("rm", "name*", action="bq:rm", does="destructive network", tags="external", irreversible=True,
            risk="high", words=2, options="-r!recursive -f!force -d -t -m"),
        P("version", does=""), P("help", does=""),
      ), words=2, example="bq ls"),
    _cli("az", "-g|--resource-group:resource-group -n|--name:name --subscription:subscription -o|--output:text "
        "--query:text -l|--location:location --ids:ids --only-show-errors "
         "--file:read -f:read --template-file:read --source:read -s:read --destination:write -d:text "
         "--account-name:account --account-key:text --container-name:container "
         "--vault-name:vault --value:text --parameters:text -p:text --password:text -u:user --username:user "
         "--tenant:tenant --scripts:code.sh --no-wait --sas-token:text",
         P("login", action="az:login", does="network write", tags="secret external",
             options="-u:user -p:text --tenant:tenant --service-principal --identity --use-device-code"),
         P("logout", action="az:logout", does="write"), P("version", action="az:version", does=""), P("find",
             action="az:find", does="network"), P("interactive", special="opaque", does="execute"),
         P("rest", action="az:rest", does="network write", tags="external",
             options="-m|--method:method -u|--uri|--url:url -b|--body:text --headers:text --output-file:write"),
         P("configure", action="az:configure", does="write"), P("upgrade", action="pkg:install",
             does="network write execute", tags="install"),
         example="az vm list"),
    _cli("doctl", "-t|--access-token:text --context:context -o|--output:text -c|--config:read --format:text "
        "--no-header --region:region --size:text --image:image --ssh-keys:text --tag-name:text "
         "--spec:read --wait --ssh-command:code.sh", example="doctl compute droplet list"),
    _cli("heroku", "-a|--app:app -r|--remote:remote -t|--team:team -p|--pipeline:pipeline --confirm:confirm "
        "-s|--shell --tail -n|--num:number",
         P("run", "command", action="heroku:run", does="network execute", tags="external unread", special="opaque"),
             P("local", action="exec:project", does="execute spawn", tags="unread"),
         *(P(n, "text*", action=f"heroku:{n}", does="destructive network", tags="external", irreversible=True,
             risk="high", options="-a|--app:app --confirm:confirm -r:text")
           for n in ("pg:reset", "pg:push", "pg:copy", "pg:pull")),
         P("pg:psql", special="opaque", does="network execute", tags="external"), P("config",
             action="heroku:config", does="read network", tags="secret", options="-a|--app:app -s -j -r:text"),
         P("ps", action="heroku:ps", does="read network", options="-a|--app:app"), P("apps", action="heroku:apps",
             does="read network"), P("plugins:install", "package", action="pkg:install",
           does="network write execute", tags="install"), example="heroku logs --tail"),
    *(_cli(name, "-a|--app:app -c|--config:read -o|--org:org -r|--region:region -t|--access-token:text "
        "-i|--image:image --vm-size:text --command:code.sh -C:code.sh --ha?:text",
           _deploys("deploy", "fly", options="-a|--app:app -c|--config:read -i|--image:image --remote-only "
               "--local-only --now --ha?:text --strategy:text -e:text --build-arg:text"),
           _deploys("launch", "fly", options="--name:app --org:org --region:region --no-deploy --now --image:image "
               "--copy-config"), P("doctor", action="fly:doctor", does="read network"),
           P("proxy", action="fly:proxy", does="spawn network"), P("platform", action="fly:platform",
               does="read network"), example=f"{name} status") for name in ("flyctl", "fly")),
    _cli("vercel", "--prod!prod --token:text -S|--scope:scope -t:text -e|--env:text -b|--build-env:text --cwd:list "
        "-A|--local-config:read -Q|--global-config:read --environment:environment",
         _deploys("deploy", "vercel", options="--prod!prod --prebuilt --token:text --scope:scope -e:text -b:text "
             "--archive?:text --no-wait --yes"), *_serves("dev", "vercel"),
         P("build", action="exec:project", does="execute write", tags="unread"), P("env", words=3, subs=(P("pull",
             "write?", action="vercel:env:pull", does="network write", tags="secret"),
           P("ls", "text*", action="vercel:env:ls", does="read network"), P("add", "text*", action="vercel:env:add",
               does="network write", tags="external secret"),
           P("rm", "text*", action="vercel:env:rm", does="destructive network", tags="external secret",
               irreversible=True))),
         default=_deploys("vercel", "vercel", options="--prod!prod --token:text --scope:scope --yes --prebuilt -v "
             "--version -h --help", dryrun="-v --version -h --help"), also="vc now", example="vercel deploy"),
    _cli("netlify", "-s|--site:site --auth:text --filter:text -d|--dir:read -m|--message:text -p!prod --prod!prod "
        "--context:context",
         _deploys("deploy", "netlify", options="-p|--prod!prod -d|--dir:read -f|--functions:read -s|--site:site "
             "-m|--message:text --build --auth:text --alias:text"), *_serves("dev", "netlify"),
         P("build", action="exec:project", does="execute", tags="unread"), P("env:list", action="netlify:env:list",
             does="read network", tags="secret"), also="ntl", example="netlify deploy"),
    _cli("wrangler", "-c|--config:read -e|--env:environment --name:name --binding:binding --namespace-id:namespace "
        "--local --remote --file:read --path:read --command:sql",
         _deploys("deploy", "wrangler", options="-e|--env:environment --name:name -c|--config:read --dry-run "
             "--minify --var:text --outdir:write", dryrun="--dry-run"),
         P("pages", words=3, subs=(P("deploy", "send?", also="publish", action="pages:deploy", does="network execute",
             tags="external sends", risk="medium", options="--project-name:project --branch:branch --commit-hash:text "
             "--commit-message:text --commit-dirty"),), default=P("pages", action="wrangler:pages",
             does="network write", tags="external")),
         _deploys("publish", "wrangler", options="-e|--env:environment --name:name -c|--config:read --dry-run "
             "--outdir:write", dryrun="--dry-run"), *_serves("dev", "wrangler"),
         P("types", action="exec:project", does="execute write", tags="unread"), P("init", action="wrangler:init",
             does="write network"), P("generate", action="wrangler:generate", does="write network"),
         P("d1", words=3, subs=(P("execute", "database", action="wrangler:d1:execute", special="sql_client",
             stdin="sql.sqlite", does="execute",
           options="--command:sql --file:sqlfile --local --remote --env:text --json --yes -y -c:text"), *(P(n,
               "name*", action=f"wrangler:d1:{n}", does="read network") for n in ("list", "info", "insights")),
           P("delete", "name*", action="wrangler:d1:delete", does="destructive network", tags="external",
               irreversible=True, risk="high"),
           *(P(n, "name*", action=f"wrangler:d1:{n}", does="network write", tags="external") for n in ("create",
               "migrations", "backup", "time-travel", "export")))), example="wrangler dev"),
    _cli("firebase", "-P|--project:project --token:text --only:only --config:read --account:account "
        "-m|--message:text",
         _deploys("deploy", "firebase", options="-P|--project:project --only:only --except:text -m|--message:text "
             "--token:text -f|--force --config:read"), *_serves("serve emulators:start", "firebase"),
         P("emulators:exec", "code.sh", action="exec:project", does="execute spawn", tags="unread",
             options="--only:text --project:text --import:read --export-on-exit?:write"),
         P("functions:shell", special="opaque", does="execute"), example="firebase deploy --only hosting"),
    _cli("railway", "-s|--service:service -e|--environment:environment -p|--project:project", P("run", "command",
        special="env_file_wrapped", does="execute network", tags="secret",
        options="-s|--service:text -e|--environment:text -p:text"),
         _deploys("up", "railway", options="-s|--service:service -d|--detach -e|--environment:environment -c|--ci"),
             P("shell", special="opaque", does="execute"), example="railway up"),
    _cli("supabase", "--project-ref:project --db-url:database --workdir:list --schema:text -p:text --linked --local "
        "-f:text",
         P("db", words=3, subs=(P("reset", action="supabase:db:reset", does="destructive", irreversible=True,
             options="--linked!linked --db-url:database --local --no-seed --version:text",
           flags={"linked": Adds(effects=effects("network"), tags=("external",))}, risk="high"), P("push",
               action="supabase:db:push", does="network write", tags="external",
           options="--dry-run --include-all --db-url:database -p:text", dryrun="--dry-run"), *(P(n,
               action=f"supabase:db:{n}", does="network write", options="-f|--file:write "
               "--schema:text") for n in ("pull", "dump", "diff")),
           P("lint", action="supabase:db:lint", does="read"), P("start", action="supabase:db:start",
               does="spawn"))), *_serves("start", "supabase"),
         P("stop", action="supabase:stop", does="execute", options="--no-backup!no-backup --all --project-id:text",
             flags={"no-backup": Adds(effects=effects("destructive"), irreversible=True)}),
         P("status", action="supabase:status", does="read", options="-o:text"), P("init", action="supabase:init",
             does="write"), P("gen", action="supabase:gen", does="network read"), example="supabase status"),
    _cli("eksctl", "--name:name -n:name -r|--region:region -p|--profile:profile -f|--config-file:read "
        "--cluster:cluster --nodes:text --node-type:text --kubeconfig:write -d", example="eksctl get cluster"),
    _cli("ibmcloud", "-g:resource-group -r:region -u:user -p:text --apikey:text -c:account -o:text --output:text",
        example="ibmcloud target"),
    _cli("oci", "--profile:profile --region:region -c|--compartment-id:compartment --config-file:read --auth:text "
        "--query:text --from-json:text --file:read -bn:bucket --name:name -ns:text --output:text",
        example="oci os ns get"),
    _cli("linode-cli", "--text --delimiter:text --format:text --as-user:user --region:region --label:name "
        "--type:text --image:image --root_pass:text --no-headers --page:number", example="linode-cli linodes list"),
    _cli("hcloud", "--context:context --config:read --endpoint:endpoint -o|--output:text --name:name --type:text "
        "--image:image --location:location --ssh-key:text -l:text --selector:text", example="hcloud server list"),
    _cli("vault", "-address:server -namespace:namespace -field:text -format:text -path:path -ca-cert:read "
        "-token:text -mount:mount -version:text -policy:text -ttl:text -tls-skip-verify",
         *(P(n, "path text*", action=f"vault:{n}", does="read network", tags="secret", words=2,
             options="-field:text -format:text -address:server -namespace:text -mount:text") for n in ("read",
             "list", "unwrap", "print")),
         P("kv", words=3, subs=(*(P(n, "path text*", action=f"vault:kv:{n}", does="read network", tags="secret",
             options="-field:text -format:text -mount:text -version:text") for n in ("get", "list")),
           *(P(n, "path text*", action=f"vault:kv:{n}", does="network write", tags="external secret",
               options="-mount:text -cas:text") for n in ("put", "patch", "enable-versioning", "undelete",
               "rollback")),
           *(P(n, "path text*", action=f"vault:kv:{n}", does="destructive network", tags="external secret",
               irreversible=True, risk="high", options="-mount:text -versions:text") for n in ("delete", "destroy",
               "metadata")))),
         P("status", action="vault:status", does="read network"), P("version", does=""),
             *_serves("server agent proxy", "vault", options="-dev -config:read -dev-root-token-id:text"),
         P("ssh", special="opaque", does="network execute", tags="external"), example="vault kv get secret/app"),
    _cli("consul", "-http-addr:server -token:text -datacenter:datacenter -ca-file:read -format:text",
        *_serves("agent", "consul", options="-dev -config-file:read -config-dir:read -data-dir:write"),
         P("kv", words=3, subs=(P("get", "key*", action="consul:kv:get", does="read network",
             options="-recurse -keys -base64"), P("export", "key*", action="consul:kv:export", does="read network"),
           P("put", "key text*", action="consul:kv:put", does="network write", tags="external"), P("import",
               "text*", action="consul:kv:import", does="network write", tags="external"),
           P("delete", "key*", action="consul:kv:delete", does="destructive network", tags="external",
               irreversible=True, options="-recurse!recursive"))),
         P("exec", special="opaque", does="network execute", tags="external"), P("watch", special="opaque",
             does="spawn"), P("lock", special="opaque", does="network execute"), example="consul members"),
    _cli("nomad", "-address:server -region:region -namespace:namespace -token:text -var:text -var-file:taken "
        "-job:text -task:text", *_serves("agent", "nomad", options="-dev -config:read -data-dir:write"),
         P("run", "read", action="nomad:run", does="network write execute", tags="external",
             options="-detach -var:text -var-file:taken -check-index:text"), P("plan", "read", action="nomad:plan",
             does="network read"),
         P("validate", "read", action="nomad:validate", does="network read"), P("exec", special="opaque",
             does="network execute", tags="external"), P("ui", action="nomad:ui", does="spawn"),
             example="nomad status"),
    P("packer", subs=(P("build", "runs", action="packer:build", does="network write execute",
        tags="external unread", options="-var:text -var-file:taken -only:text -except:text -force!force "
        "-on-error:text -parallel-builds:number"),
      *(P(n, "read?", action=f"packer:{n}", does="read", options="-var:text -var-file:taken "
          "-syntax-only") for n in ("validate", "inspect", "version")), P("fmt", "edit*", action="packer:fmt",
          does="write", options="-check -diff -recursive"),
      P("init", "runs?", action="packer:init", does="network write", tags="install", options="-upgrade"),
          P("console", special="opaque", does="execute"), P("plugins", action="packer:plugins",
          does="network write", tags="install")), words=2),
    _cli("stripe", "--api-key:text --project-name:project -d:text --live!live --limit:number", P("listen",
        action="stripe:listen", does="spawn network", options="--forward-to|-f:url -e|--events:text --live"),
         *(P(n, action=f"stripe:{n}", does="network write", tags="external sends",
             options="-d|--data:text --live!live") for n in ("trigger", "post", "fixtures")), P("get", "path",
             action="stripe:get", does="read network"),
         P("delete", "path", action="stripe:delete", does="destructive network", tags="external", irreversible=True,
             risk="high"), P("samples", action="stripe:samples", does="network write"), example="stripe listen"),
    _cli("twilio", "-p|--profile:profile --to:to --from:from --body:text -o:text --properties:text", P("login",
        action="twilio:login", does="network write", tags="secret external"),
         _sends("email:send", "twilio:send"), _sends("api:core:messages:create", "twilio:send",
             options="--to:to --from:from --body:text"), example="twilio phone-numbers:list"),
    _cli("sentry-cli", "--auth-token:text -o|--org:org -p|--project:project --url:server --log-level:text",
        P("sourcemaps", "text read*", action="sentry:sourcemaps", does="network write", tags="external sends",
           options="-o:org -p:project --release:text --url-prefix:text --dist:text"), P("upload-dif", "read*",
               action="sentry:upload", does="network write", tags="external sends"), P("info", action="sentry:info",
               does="read network"),
         P("send-event", action="sentry:send", does="network write", tags="external sends"), P("bash-hook",
             does=""), example="sentry-cli releases list"),
    P("ngrok", subs=(*(P(n, "text*", action="ngrok:tunnel", does="spawn network", tags="external sends",
        risk="medium", options="--domain:text --url:text --authtoken:text --config:read --region:text "
        "--basic-auth:text --host-header:text "
        "--oauth:text --log:text") for n in ("http", "tcp", "tls", "start", "tunnel", "service")), P("config",
        words=3, subs=(P("add-authtoken", "text", action="ngrok:config", does="write", tags="secret"), P("check",
        does="read"),
        P("edit", does="write", action="ngrok:config"), P("upgrade", does="write", action="ngrok:config"))),
            P("authtoken", action="ngrok:config", does="write", tags="secret"), P("version", does=""), P("help",
            does=""),
        P("api", action="ngrok:api", does="network write", tags="external"), P("diagnose", does="read network"),
            P("update", action="pkg:install", does="network write execute", tags="install")), words=2,
            example="ngrok http 8080"),
)  # fmt: skip
