"""Options of language tools that bring, load or start code, and settings of a person that start it later."""

from __future__ import annotations

import pytest

from verdicts import allowed

LOADS = """
iex -S mix run -e 'File.rm_rf!("/home/someone/Documents")'
elixir -S mix run -e 'File.rm_rf!("/home/someone/Documents")'
elixir -S mix eval 'File.rm_rf!("/home/someone/Documents")'
elixir -S mix cmd rm -rf /home/someone/Documents
echo 'File.rm_rf!("/home/someone/Documents")' | iex -S mix
python3 -m pickletools -o ~/.bashrc x.pkl
python3 -m pickletools --output=/home/someone/notes.txt x.pkl
python3 -m cProfile --outfile ~/.bashrc app.py
python3 -m json.tool a.json ~/.bashrc
python3 -m fileinput -i ~/notes.txt
phpcs --standard=/tmp/other src
phpcbf --standard=PSR12,/tmp/other src
psalm --plugin=/tmp/x.php
phpmd src text /tmp/other.xml
phpmd src text codesize,/tmp/other.xml
composer run-script --working-dir /tmp/other build
composer install --working-dir=/tmp/other
composer require --working-dir=/tmp/other monolog/monolog
bundle plugin install other
bundle plugin install other --source https://packages.example
bundle plugin install other --git https://packages.example/x
mise trust /tmp/other/.mise.toml
mise trust -a
mise use -g node@path:/tmp/other
pre-commit init-templatedir ~/.git-template
gsettings set org.gnome.desktop.default-applications.terminal exec /tmp/x
dconf write /org/gnome/x "'/tmp/x'"
xdg-mime default other.desktop x-scheme-handler/http
xdg-settings set default-web-browser other.desktop
flutter config --jdk-dir /tmp/jdk
javac -cp /tmp/p.jar A.java
javac --class-path=lib/a.jar:/tmp/p.jar A.java
javac -Xplugin:Other A.java
javac -processorpath /tmp/p A.java
curl gopher://127.0.0.1:6379/_FLUSHALL
curl dict://localhost:6379/FLUSHALL
curl telnet://localhost:6379
buildah bud -v ~/.ssh:/k .
podman build --volume ~/.ssh:/k:ro .
magick -script /tmp/x
turbo run build --api=https://cache.example
turbo --api https://cache.example run build
python manage.py check --pythonpath=/tmp/other
django-admin migrate --pythonpath /tmp/other
"""

EVERYDAY = """
iex -S mix
elixir -S mix test
iex -S mix phx.server
python3 -m pickletools x.pkl
python3 -m pickletools -o out.txt x.pkl
python3 -m cProfile -o prof.out app.py
python3 -m json.tool a.json
python3 -m json.tool a.json b.json
python3 -m ast -i 2 a.py
phpcs --standard=PSR12 src
phpcbf --standard=phpcs.xml src
psalm
vendor/bin/phpstan analyse src
phpstan analyse -c phpstan.neon src
phpmd src text cleancode,codesize
composer install
composer run-script build
composer install --working-dir=packages/api
bundle plugin list
bundle install
mise trust
mise use node@20
pre-commit install
pre-commit run --all-files
gsettings get org.gnome.desktop.interface gtk-theme
xdg-mime query default text/html
flutter config --list
javac -d out -cp lib/junit.jar:out src/A.java
javac -cp ~/.m2/repository/junit/junit/4.13/junit-4.13.jar A.java
javac -proc:none -cp /tmp/p.jar A.java
curl http://localhost:6379/
curl -s https://example.com
buildah bud -t app .
podman build -t app .
podman build -v ./cache:/cache:ro .
magick a.png -resize 50% b.png
turbo run build
python manage.py check
python manage.py migrate --settings=app.settings
python manage.py test --pythonpath=src
"""


def test_what_they_load_from_elsewhere_is_asked_about() -> None:
    assert allowed(LOADS) == []


@pytest.mark.parametrize("line", EVERYDAY.split("\n")[1:-1])
def test_everyday_forms_stay_free(line: str) -> None:
    assert allowed(line) == [line]
