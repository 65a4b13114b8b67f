"""Python libraries that act under their own names: each case is read as the program would be that does the same."""

from __future__ import annotations

import pytest

from interlock.testing import assert_allows, assert_asks, assert_denies

ASKED = [
    # file systems of libraries
    "import tensorflow as tf; tf.io.gfile.rmtree('src')",
    "from pyarrow import fs; fs.LocalFileSystem().delete_dir('src')",
    "import fsspec; fsspec.filesystem('file').rm('src', recursive=True)",
    "import fsspec; f = fsspec.filesystem('s3'); f.rm('bucket/data', recursive=True)",
    "import fsspec\nwith fsspec.open('/home/user/.ssh/id_rsa') as f: print(f.read())",
    "import s3fs; s3fs.S3FileSystem().rm('bucket/x', recursive=True)",
    "from smart_open import open; print(open('/home/user/.aws/credentials').read())",
    "import aiofiles.os, asyncio; asyncio.run(aiofiles.os.remove('src/a.py'))",
    # git
    "import git; git.Repo('.').git.push('origin', 'main', '--force')",
    "from git import Repo; Repo('.').remote('origin').push(force=True)",
    "import git; git.Repo('.').git.clean('-fdx')",
    # credentials that are handed out
    "import keyring; print(keyring.get_password('aws', 'dev'))",
    "import boto3; print(boto3.Session().get_credentials().get_frozen_credentials())",
    "import boto3; print(boto3.client('secretsmanager').get_secret_value(SecretId='x'))",
    "import boto3; boto3.client('ssm').get_parameter(Name='/x', WithDecryption=True)",
    "from azure.identity import DefaultAzureCredential as D; print(D().get_token('x').token)",
    "import google.auth; c, p = google.auth.default(); print(c.token)",
    "from google.cloud import secretmanager as s; s.SecretManagerServiceClient().access_secret_version(name='x')",
    "from kubernetes import client; print(client.CoreV1Api().list_secret_for_all_namespaces())",
    "import hvac; print(hvac.Client().secrets.kv.read_secret_version(path='x'))",
    "import huggingface_hub; print(huggingface_hub.get_token())",
    "import browser_cookie3; print(browser_cookie3.chrome())",
    # whole folders, and the whole environment
    "import shutil, os; shutil.make_archive('/tmp/h', 'zip', os.environ['HOME'])",
    "import shutil; shutil.make_archive('/tmp/h', 'zip', root_dir='/home/user/.aws')",
    "import os, json; json.dump(dict(os.environ), open('env.json', 'w'))",
    "import os, yaml\nwith open('env.yml', 'w') as f: yaml.dump(dict(os.environ), f)",
    "import os; open('e.txt', 'w').write(str(os.environ))",
]
DENIED = [
    "import duckdb; duckdb.sql(\"COPY (SELECT 1) TO '/home/user/.bashrc'\")",
    "import duckdb; duckdb.execute(\"COPY t TO '/home/user/.claude/settings.json'\")",
    "import tensorflow as tf; tf.io.gfile.rmtree('/home/user')",
    "from pyarrow import fs; fs.LocalFileSystem().copy_file('x', '/home/user/.claude/settings.json')",
]
FREE = [
    "import duckdb; print(duckdb.sql('select 42'))",
    "import duckdb; print(duckdb.sql(\"select * from 'data.csv'\"))",
    "import git; print(git.Repo('.').head.commit.hexsha)",
    "import git; print(git.Repo('.').git.log('--oneline', '-5'))",
    "import git; r = git.Repo('.'); r.index.add(['a.py']); r.index.commit('x')",
    "import fsspec; print(fsspec.filesystem('file').ls('.'))",
    "import tensorflow as tf; print(tf.io.gfile.listdir('data'))",
    "import boto3; print(boto3.client('s3').list_buckets())",
    "import shutil; shutil.make_archive('dist/app', 'zip', 'build')",
    "import json; json.dump({'a': 1}, open('x.json', 'w'))",
    "import os, json; json.dump({'ci': os.environ.get('CI')}, open('x.json', 'w'))",
    "import os, json, sys; json.dump(dict(os.environ), sys.stdout)",
    "import os; print(os.environ)",
]


def command(code: str) -> str:
    return f"python3 - <<'E'\n{code}\nE"


@pytest.mark.parametrize("code", ASKED)
def test_a_library_that_acts_or_hands_out_secrets_is_asked_about(code: str) -> None:
    assert_asks(command(code))


@pytest.mark.parametrize("code", DENIED)
def test_the_floor_stands_in_front_of_libraries_too(code: str) -> None:
    assert_denies(command(code))


@pytest.mark.parametrize("code", FREE)
def test_looking_and_computing_with_the_same_libraries_is_free(code: str) -> None:
    assert_allows(command(code))


@pytest.mark.parametrize("line", ["env > env.txt", "printenv | sort > vars.txt", "export -p > all.sh"])
def test_the_whole_environment_in_a_file_of_the_project_is_asked_about(line: str) -> None:
    assert_asks(line)


@pytest.mark.parametrize(
    "line", ["env", "env > /tmp/e", "env > /dev/null", "printenv PATH > p.txt", "env | grep CI > c.txt"]
)
def test_a_look_at_the_environment_is_free(line: str) -> None:
    assert_allows(line)
