"""Inline code in other hands than its interpreter's: Django's shell, tsx; and what JavaScript may name."""

from __future__ import annotations

import pytest

from interlock.testing import decide_call


@pytest.mark.parametrize(
    "command",
    [
        'python manage.py shell -c "from orders.models import Order; print(Order.objects.count())"',
        "./manage.py shell --command 'from shop.models import Book; print(Book.objects.filter(price__gt=3)[:5])'",
        "python manage.py shell <<'PY'\nfrom django.contrib.auth import get_user_model\n"
        "from orders.models import Order\n"
        "user, _ = get_user_model().objects.get_or_create(username='probe')\norder = Order.objects.create(user=user)\n"
        "print(order.pk)\norder.delete(); user.delete()\nPY",
        "python manage.py shell -c \"from django.urls import reverse; print(reverse('home'))\"",
        "node -e \"console.log(process.versions.icu, new Intl.NumberFormat('de', {style: 'percent'}).format(0.2))\"",
        'node -e "console.log(Intl.DateTimeFormat().resolvedOptions().timeZone)"',
        'tsx -e "console.log([1, 2].map((x) => x + 1))"',
        "ts-node -e \"console.log(require('./package.json').version)\"",
        'bun -e "console.log(Bun.version)"',
    ],
)
def test_code_that_looks_or_computes_is_read(command: str) -> None:
    assert decide_call(command).verdict.name == "allow"


@pytest.mark.parametrize(
    "code",
    [
        "from orders.models import Order; Order.objects.all().delete()",
        "from orders.models import Order; rows = Order.objects.all(); rows.delete()",
        "from orders.models import Order; o = Order.objects.create(); o = Order.objects.all(); o.delete()",
        "from orders.models import Order; Order.objects.update(total=0)",
        "from orders.models import Order\nfor o in Order.objects.all():\n    o.total = 0\n    o.save()",
        "from orders.models import Order; getattr(Order.objects.all(), 'del' + 'ete')()",
        "from operator import methodcaller; from orders.models import Order; methodcaller('x')(Order.objects.all())",
        "from orders.models import Order; Order.objects.raw('delete from orders')",
        "from django.db import connection; connection.cursor().execute('drop table orders')",
        "import django.db as d; d.connection",
        "from django.core.management import call_command; call_command('flush', '--noinput')",
        "from django.core.mail import send_mail; send_mail('a', 'b', 'c@x.example', ['d@x.example'])",
        "from django.conf import settings; print(settings.SECRET_KEY)",
        "from django.contrib.auth.models import User; u = User.objects.get(pk=1); u.set_password('x')",
        "from django.contrib.auth.models import *",
        "import builtins; builtins.getattr(1, 'x')",
        "import os; os.remove('notes.txt')",
        "import subprocess; subprocess.run(['rm', '-rf', '/srv'])",
        "print(open('/home/user/.ssh/id_rsa').read())",
        "print(",
    ],
)
def test_what_code_in_djangos_shell_may_do_is_asked_about(code: str) -> None:
    assert decide_call(f"python manage.py shell <<'PY'\n{code}\nPY").verdict.name != "allow"


@pytest.mark.parametrize(
    "command",
    [
        "python manage.py shell",
        "python manage.py shell < /tmp/code.py",
        'python manage.py shell -c "$CODE"',
        "python manage.py shell -i ipython -c 'print(1)'",
        "python manage.py dbshell",
        "tsx -e \"require('child_process').execSync('id')\"",
        "tsx -e \"import('node:fs')\"",
        'echo \'{"compilerOptions": {"paths": {"fs": ["./x"]}}}\' > tsconfig.json; tsx -e "console.log(1)"',
        "node -e \"new Intl.NumberFormat.constructor('return process')()\"",
        "node -e \"Intl['constructor']\"",
        "node -e \"process.binding('fs')\"",
        "node -e \"new process.constructor('x')\"",
        "node -e \"console.log({get a() { return eval('1') }}.a)\"",
        'node -e "Intl.NumberFormat.prototype.format = 1"',
        "bun -e \"Bun.spawn(['id'])\"",
    ],
)
def test_code_that_may_do_more_is_asked_about(command: str) -> None:
    assert decide_call(command).verdict.name != "allow"
