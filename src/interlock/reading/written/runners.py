"""Which programs run code of the project by themselves, and which files of it. One row for each kind.

programs   what is started, without its folder
subs       the words behind it with which it does; empty: with any
languages  of the files that it may load (languages.py)
loads      `all` of these, since tests import sources; `settings`: those that are settings, and what these name;
           `script`: those that a build runs; `program`: the project itself is run, so that a yes is needed once
names      for `script`, parts of the paths of such files
Python and bats are read and not looked through: what they certainly do counts (python/own_modules.py, bats.py).
"""

from __future__ import annotations

from ...value import Value

__all__ = ["ANY_TASK", "MACHINERY", "RUNNERS", "Runner", "runners_of"]


class Runner(Value):
    programs: tuple[str, ...]
    languages: tuple[str, ...]
    loads: str = "all"
    subs: frozenset[str] = frozenset()
    names: tuple[str, ...] = ()


def _row(programs: str, languages: str, loads: str = "all", subs: str = "", names: str = "") -> Runner:
    return Runner(
        programs=tuple(programs.split()),
        languages=tuple(languages.split()),
        loads=loads,
        subs=frozenset(subs.split()),
        names=tuple(names.split()),
    )


# Parts of the names of settings that are code, in JavaScript and PHP.
MACHINERY = tuple(
    (
        ".config. .conf. /.eslintrc /.prettierrc /.babelrc /.stylelintrc /.lintstagedrc /.commitlintrc /.mocharc "
        "/.postcssrc /.huskyrc /.releaserc /.pnpmfile /gulpfile /Gruntfile /gruntfile /Jakefile /webpack. /metro. "
        "/karma. /protractor. /jest. /vitest. /setupTests. /rector.php /.php-cs-fixer /ecs.php /plugins/ /rules/ "
        "/eslint /babel /.storybook/ /plopfile /docusaurus. /.eleventy /svelte. /ecosystem. /knexfile /drizzle. "
        "/codegen. /turbo/generators/ /tools/ /build/"
    ).split()
)

RUNNERS: tuple[Runner, ...] = (
    # JavaScript and TypeScript
    _row(
        "jest vitest mocha ava tap jasmine karma cypress playwright wdio nyc c8 testcafe uvu tape nightwatch "
        "cucumber-js qunit lab borp react-scripts craco vue-cli-service web-test-runner wtr storybook start- "
        "storybook build-storybook test-storybook stryker benny bun-test",
        "javascript",
    ),
    _row(
        "next nuxt nuxi astro gatsby remix react-router svelte-kit blitz redwood rw sails nest ng expo eleventy "
        "docusaurus vuepress vitepress hexo electron electron-forge electron-builder keystone strapi medusa "
        "sanity payload gulp grunt jake",
        "javascript",
    ),
    _row(
        "knex sequelize sequelize-cli typeorm mikro-orm drizzle-kit node-pg-migrate db-migrate umzug hardhat "
        "truffle cdk sls serverless sst wrangler netlify vercel",
        "javascript",
    ),
    _row("prisma", "javascript", subs="db migrate seed generate studio"),
    _row(
        "webpack webpack-cli webpack-dev-server rollup vite parcel esbuild tsup swc babel browserify rspack "
        "rsbuild microbundle unbuild ncc snowpack tailwindcss tailwind postcss eslint xo standard prettier "
        "stylelint commitlint lint-staged semantic-release release-it plop hygen graphql-codegen knip depcruise "
        "nx turbo lerna metro babel-node typedoc jsdoc madge size-limit publint svgr",
        "javascript",
        "settings",
    ),
    _row("deno bun", "javascript", subs="test bench"),
    _row("node", "javascript", subs="--test"),
    # Go, Rust, C
    _row("go", "go c", subs="test generate"),
    _row("go", "go", "program", subs="run"),
    _row("ginkgo gotestsum gotest richgo mage wire mockgen air", "go c"),
    _row("cargo", "rust c", subs="test t bench nextest miri llvm-cov tarpaulin mutants criterion insta"),
    _row("cargo", "rust", "program", subs="run r"),
    _row(
        "cargo",
        "rust",
        "script",
        subs="build b check c clippy doc d rustc fix install package publish expand leptos",
        names="/build.rs /build/ macro",
    ),
    _row("trunk wasm-pack maturin cross", "rust", "script", names="/build.rs /build/ macro"),
    _row("cmake ninja samu meson ctest", "c cmake"),
    _row("bazel bazelisk buck buck2", "c cmake bazel"),
    _row("xmake", "c cmake lua"),
    _row("nim nimble testament", "nim c"),
    _row(
        "nix",
        "nix",
        subs="build develop shell run flake eval bundle profile print-dev-env fmt repl",
    ),
    _row("nix-shell nix-build nix-env nix-instantiate nixos-rebuild home-manager darwin-rebuild", "nix"),
    _row("make gmake bmake", "c cmake"),
    _row("node-gyp prebuildify", "c"),
    # the JVM, .NET
    _row("gradle gradlew mvn mvnw mvnd ant sbt mill lein boot clojure clj scala-cli", "jvm maven"),
    _row("dotnet", "dotnet msbuild", subs="test vstest watch ef fake"),
    _row("dotnet", "dotnet msbuild", "program", subs="run"),
    _row("dotnet", "msbuild", subs="build publish pack restore msbuild clean tool"),
    _row("msbuild xbuild nuke", "dotnet msbuild"),
    # Ruby, PHP, Elixir, Swift, Dart, Zig and others
    _row("bundle bundler gem", "ruby", "script", names="/Gemfile .gemspec"),
    _row(
        "rspec rake rails minitest cucumber guard spring m cap jekyll fastlane pod turbo_tests parallel_rspec "
        "rubocop brakeman sidekiq puma rackup foreman middleman vagrant danger standardrb bin/rails bin/rake",
        "ruby erb",
    ),
    _row(
        "phpunit pest phpspec codecept behat paratest infection artisan wp drush console simple-phpunit testbench",
        "php",
    ),
    _row("php", "php", subs="-S"),
    _row("php-cs-fixer rector phpstan psalm ecs phpcs phpcbf", "php", "settings"),
    _row("mix iex rebar3", "elixir"),
    _row("swift", "swift c", subs="test build package"),
    _row("swift", "swift c", "program", subs="run"),
    _row("xcodebuild", "swift c"),
    _row("dart flutter", "dart", subs="test drive run build compile pub"),
    _row("build_runner melos", "dart"),
    _row("zig", "zig c", subs="build test"),
    _row("zig", "zig c", "program", subs="run"),
    _row("cabal stack", "haskell c", subs="test bench build install"),
    _row("cabal stack", "haskell c", "program", subs="run exec"),
    _row("dune", "ocaml c", subs="test runtest build"),
    _row("dune", "ocaml c", "program", subs="exec"),
    _row("busted luacheck luarocks", "lua"),
    _row("prove", "perl"),
    _row("testthat devtools rmarkdown quarto", "r"),
    # tasks of any kind, where the file that names them is not read
    _row("composer", "php", subs="test run run-script exec install update"),
    _row(
        "just task go-task poe mask mise moon makers xc pants please plz buck buck2 pre-commit lefthook",
        "javascript go rust ruby php elixir jvm dotnet swift dart c",
    ),
    # Python, whose modules are read
    _row(
        "flask celery uvicorn gunicorn hypercorn daphne waitress-serve fastapi granian manage.py django-admin "
        "django alembic behave airflow dagster prefect scrapy locust streamlit gradio chainlit panel bokeh mkdocs "
        "sphinx-build sphinx-autobuild kedro dbt rq huey dramatiq faust taskiq arq invoke inv fab doit nox tox "
        "scons pelican lektor nikola reflex solara litestar sanic quart robot pabot",
        "python",
    ),
    _row("mypy dmypy pylint flake8 ruff black isort pyright coverage", "python", "settings"),
    _row("robot pabot", "robot"),
    _row("bats", "bats"),
    # infrastructure
    _row(
        "terraform tofu opentofu terragrunt",
        "terraform",
        subs="plan apply destroy refresh import console test init run-all",
    ),
    _row("docker podman nerdctl buildah finch", "dockerfile", subs="build buildx bake compose image bud builder"),
    _row("docker-compose podman-compose", "dockerfile", subs="build up run create"),
    _row("skaffold tilt earthly", "dockerfile"),
    _row("jupyter papermill nbmake jupytext", "notebook"),
)

# What a task may load that nobody could read.
ANY_TASK = ("javascript", "go", "rust", "ruby", "php", "elixir", "jvm", "dotnet", "swift", "dart", "c")

_BY_PROGRAM: dict[str, list[Runner]] = {}
for _runner in RUNNERS:
    for _program in _runner.programs:
        _BY_PROGRAM.setdefault(_program, []).append(_runner)


def runners_of(program: str, words: tuple[str, ...]) -> list[Runner]:
    """The rows that hold for a command; `words` are those behind the name of the program."""
    said = frozenset(words[:6])
    return [row for row in _BY_PROGRAM.get(program, ()) if not row.subs or not row.subs.isdisjoint(said)]
