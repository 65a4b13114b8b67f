"""Manifests that a session wrote name their packages, however they spell them; what cannot be read is told."""

# ruff: noqa: E501 - a case is a line

from __future__ import annotations

import pytest

from interlock.reading.written.dependencies import MANIFESTS, packages_in


@pytest.mark.parametrize(("name", "text", "packages"), [
    ("go.mod", "module a\n\ngo 1.22\n\nrequire (\n\tgithub.com/a/b v1.2.0\n)\nreplace github.com/a/b => ../b\n", ("github.com/a/b", "../b")),
    ("Cargo.toml", "[package]\nname = \"a\"\nversion = \"1.0.0\"\n[dependencies]\nserde = \"1\"\nown = { git = \"https://host.example/x\" }\n[profile.release]\nlto = true\n",
        ("serde", "own@git:https://host.example/x")),
    ("Cargo.toml", "[target.'cfg(unix)'.dependencies]\nlibc = \"0.2\"\n[patch.crates-io]\nserde = { path = \"../serde\" }\n", ("libc", "serde@path:../serde")),
    ("Cargo.toml", "[dependencies\n", None),
    ("pom.xml", "<project><parent><version>1</version><groupId>p</groupId><artifactId>q</artifactId></parent>"
        "<dependency><groupId>a</groupId><artifactId>b</artifactId><version>1</version></dependency></project>", ("p:q", "a:b")),
    ("pom.xml", "<!DOCTYPE x [<!ENTITY y 'z'>]><project/>", None), ("pom.xml", "<project>", None),
    ("build.gradle", "implementation 'com.a:b:1.0'\n", ("com.a:b",)), ("build.gradle.kts", "implementation(\"com.a:b:1.0\")\n", ("com.a:b",)),
    ("libs.versions.toml", "[libraries]\nb = \"com.a:b:1.0\"\nc = { group = \"com.a\", name = \"c\" }\n[plugins]\nd = { id = \"com.d\", version = \"1\" }\n", ("com.a:b", "com.a:c", "com.d")), ("build.sbt", "libraryDependencies += \"com.a\" %% \"b\" % \"1\"\n", ("com.a",)),
    (".gitmodules", "[submodule \"a\"]\n\turl = https://host.example/a\n", ("https://host.example/a",)),
    ("Gemfile", "source 'https://rubygems.org'\ngem 'rails'\n", ("rails",)), ("mix.exs", "{:jason, \"~> 1.0\"}\n", ("jason",)),
    ("pubspec.yaml", "name: a\ndependencies:\n  http: ^1.0.0\n", ("http",)),
    ("Package.swift", ".package(url: \"https://host.example/a\", from: \"1.0.0\")\n", ("https://host.example/a",)),
    ("build.zig.zon", ".url = \"https://host.example/a.tar.gz\"\n", ("https://host.example/a.tar.gz",)),
    ("a.csproj", "<PackageReference Include=\"A.B\" Version=\"1\" />", ("A.B",)), ("a.fsproj", "<PackageReference Include=\"A.B\" Version=\"1\" />", ("A.B",)),
    ("a.vbproj", "<Project Sdk=\"Own.Sdk/1.0\"><packagereference version=\"1\" include=\"A\"/></Project>", ("Own.Sdk/1.0", "A")),
    ("Directory.Build.props", "<Project><Sdk Name=\"Microsoft.NET.Sdk\"/></Project>", ()), ("x.targets", "<Project Sdk=\"A;B\"/>", ("A", "B")),
    ("pubspec.yaml", "dependencies: {a: any}\n", None), ("pubspec.yaml", "dependencies:\n    a:\n      git: https://host.example/a\n    b: any\n", ("a", "b")),
    ("go.mod", "module a\nrequire \"host.example\" v1.0.0 // x\nreplace (\n\ta v1.0.0 => `host.example/b` v1.0.0\n)\n", ("host.example", "host.example/b")),
    ("go.mod", "module a\nfetch b v1\n", None),
])  # fmt: skip
def test_a_manifest_names_its_packages(name: str, text: str, packages: tuple[str, ...] | None) -> None:
    assert packages_in("/" + name, text) == packages


def test_every_manifest_is_tried() -> None:
    assert all(sum(f"/{name}".endswith(end) for name in (".gitmodules", "go.mod", "Cargo.toml", "pom.xml", "build.gradle", "build.gradle.kts", "libs.versions.toml",
        "build.sbt", "Gemfile", "mix.exs", "pubspec.yaml", "Package.swift", "build.zig.zon", "a.csproj", "a.fsproj", "a.vbproj", "a.props", "a.targets")) == 1 for end in MANIFESTS)  # fmt: skip
