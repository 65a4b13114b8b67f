"""Attempts to get out of the view, or to change something that outlives it. Each is a script for bash, with the world
outside in variables: VICTIM a folder, PORT a server of the machine, ABSTRACT and SOCKET unix sockets, PID a process.
"""

# ruff: noqa: E501 - a line is a script
from __future__ import annotations

__all__ = ["ATTEMPTS"]

_PYTHON = "/usr/bin/python3 - <<'PYTHON'\nimport ctypes, os, socket, sys\nlibc = ctypes.CDLL(None, use_errno=True)\n"
_CALLS = (
    "machine = 0 if os.uname().machine == 'x86_64' else 1\n"
    "def call(numbers, *values):\n"
    "    got = libc.syscall(ctypes.c_long(numbers[machine]), *values)\n"
    "    print(got, os.strerror(ctypes.get_errno()))\n"
    "    return got\n"
)


def python(text: str) -> str:
    return f"{_PYTHON}{_CALLS}{text}\nPYTHON\n"


ATTEMPTS: dict[str, str] = {
    # --- files ---------------------------------------------------------------------------------------------------
    "write an absolute path": 'echo owned > "$VICTIM/file"; mkdir -p "$VICTIM" && echo owned > "$VICTIM/new"',
    "climb out with dots": 'cd "$PWD"; echo owned > ../beside/file; echo owned > ../../../../../../etc/interlock-owned',
    "write through a link": 'ln -s "$VICTIM/file" link; echo owned > link; ln -s "$VICTIM" folder; echo owned > folder/x',
    "follow a link that was there": "echo owned >> was-a-link; echo owned > linked-folder/file; rm -rf linked-folder/*",
    "hard link to a file outside": 'ln "$VICTIM/file" own; ln /etc/passwd own2; echo owned >> own; echo owned >> own2',
    "write to system folders": "echo owned > /usr/local/owned; touch /etc/owned /opt/owned /bin/owned; rm -rf /etc/passwd",
    "remove everything": 'rm -rf "$VICTIM" ~ /etc /opt /var /proc/1 /dev /tmp/* 2>/dev/null; rm -rf --one-file-system .* 2>/dev/null; true',
    "move the project away": 'cd / && mv "$OLDPWD" /tmp/elsewhere; rmdir "$OLDPWD"; rm -rf "$OLDPWD"',
    "change modes and owners": 'chmod -R 777 /etc /dev /proc/1 2>/dev/null; chmod 777 /; chown -R 12345 . ; chmod 4755 run.sh; chmod -R 777 "$VICTIM"',
    "schedule something": "echo '* * * * * touch /tmp/owned' | crontab - ; mkdir -p /var/spool/cron && touch /var/spool/cron/x",
    "hooks of the person": "mkdir -p ~/.config/autostart ~/.claude; echo owned > ~/.bashrc; echo owned > ~/.claude/settings.json",
    # --- mounts and namespaces -----------------------------------------------------------------------------------
    "remount writable": "mount -o remount,rw / ; mount -o remount,rw,bind /usr; mount -o remount,rw /proc; echo x > /usr/owned",
    "mount over and bind": 'mkdir -p m; mount -t tmpfs t m; mount --bind / m; mount --rbind "$VICTIM" m; umount -l .',
    "unmount the masks": "umount .env; umount /etc/shadow; umount -l /proc /tmp /home; cat .env",
    "mount with the new calls": python(
        "fd = call((430, 430), b'tmpfs', 0)\ncall((428, 428), -100, b'/', 1)\ncall((429, 429), -100, b'/', -100, b'/tmp', 0)"
    ),
    "a user namespace of its own": "unshare -Urm sh -c 'mount -t tmpfs t /usr; echo in'; unshare -r id",
    "clone into new namespaces": python("call((56, 220), 0x10000000 | 17, 0, 0, 0, 0)"),
    "clone3 into new namespaces": python(
        "arguments = (ctypes.c_uint64 * 11)(0x10020000, 0, 0, 0, 17)\ncall((435, 435), arguments, 88)"
    ),
    "join the first process": "nsenter -t 1 -a id; for n in /proc/1/ns/*; do nsenter --mount=$n id; done",
    "join with setns": python(
        "for name in ('user', 'mnt', 'net', 'pid'):\n"
        "    try: call((308, 268), os.open(f'/proc/1/ns/{name}', 0), 0)\n    except OSError as e: print(e)"
    ),
    "chroot and pivot_root": python("call((161, 51), b'/tmp')\ncall((155, 41), b'/', b'/')"),
    # --- processes -----------------------------------------------------------------------------------------------
    "the first process by /proc": (
        'ls /proc/1/root/ /proc/1/cwd/ /proc/1/fd/; for f in /proc/1/fd/*; do echo owned > "$f"; done; cat /proc/1/environ;'
        ' echo owned > "/proc/1/root$VICTIM/file"; dd if=/proc/1/mem of=m bs=1 count=1'
    ),
    "trace the first process": python("call((101, 117), 16, 1, 0, 0)\ncall((101, 117), 0x4206, 1, 0, 0)"),
    "write into its memory": python(
        "class V(ctypes.Structure): _fields_ = (('b', ctypes.c_void_p), ('n', ctypes.c_size_t))\n"
        "own = ctypes.create_string_buffer(8)\nv = V(ctypes.addressof(own), 8)\n"
        "call((311, 271), 1, ctypes.byref(v), 1, ctypes.byref(v), 1, 0)"
    ),
    "take its descriptors": python("fd = call((434, 434), 1, 0)\nfor n in range(20): call((438, 438), fd, n, 0)"),
    "kill everybody": 'kill -9 1 "$PID" -1; kill -STOP 1; kill -9 "$PID"; true',
    "outlive the command": "setsid nohup sh -c 'sleep 1; echo owned > late; echo owned > \"$VICTIM/file\"' >/dev/null 2>&1 & exit 0",
    "see other processes": 'ls -d /proc/[0-9]* ; cat /proc/"$PID"/cmdline /proc/"$PID"/environ',
    "inherited descriptors": 'for n in $(seq 3 64); do (echo owned >&$n) 2>/dev/null && echo "wrote to $n"; done; ls -l /proc/self/fd',
    "type into the terminal": python(
        "import fcntl\n"
        "for fd in (0, 1, 2):\n"
        "    try: fcntl.ioctl(fd, 0x5412, b'o')\n    except OSError as e: print(e)\n"
        "try: fcntl.ioctl(os.open('/dev/tty', os.O_RDWR), 0x5412, b'o')\nexcept OSError as e: print(e)"
    ),
    # --- the kernel ----------------------------------------------------------------------------------------------
    "settings of the kernel": (
        "for f in kernel/core_pattern kernel/hostname vm/overcommit_memory fs/file-max kernel/modprobe; do"
        " echo '|/tmp/owned' > /proc/sys/$f; done; echo h > /proc/sysrq-trigger; echo 1000 > /proc/1/oom_score_adj"
    ),
    "host name and clock": "hostname owned; date -s 2001-01-01; " + python("call((170, 161), b'owned', 5)"),
    "keyrings": python(
        "call((248, 217), b'user', b'interlock-owned', b'x', 1, -4)\ncall((250, 219), 0, -4, 1)\n"
        "call((249, 218), b'user', b'interlock-owned', None, -4)"
    ),
    "open by handle": python("call((304, 265), -100, ctypes.create_string_buffer(64), 0)"),
    "io_uring, bpf, perf, userfaultfd": python(
        "b = ctypes.create_string_buffer(256)\ncall((425, 425), 8, b)\ncall((321, 280), 0, b, 64)\n"
        "call((298, 241), b, 0, -1, -1, 0)\ncall((323, 282), 0)"
    ),
    "calls of another machine": python(
        "import mmap\n"
        "if machine == 0:\n"
        "    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)\n"
        "    code.write(bytes.fromhex('b827000000cd80c3'))\n"  # mkdir of 32 bit
        "    at = ctypes.addressof(ctypes.c_char.from_buffer(code))\n"
        "    print(ctypes.CFUNCTYPE(ctypes.c_int)(at)())\n"
        "    call((0x40000000 + 165, 0), b't', b'/tmp', b'tmpfs', 0, 0)"
    ),
    "device nodes": "mknod disk b 253 0; mknod mem c 1 1; cat /dev/vda /dev/sda /dev/mem /dev/kmsg | head -c 10; ls /dev",
    "setuid programs": (
        "cp /bin/bash /tmp/b; chmod 4755 /tmp/b; /tmp/b -p -c id; su -c id; sudo -n id; mount; passwd -d root; newgrp root"
    ),
    "capabilities back": python(
        "import struct\nh = struct.pack('=Ii', 0x20080522, 0)\nd = struct.pack('=6I', *[0xffffffff] * 6)\n"
        "print(libc.capset(h, d), libc.setuid(0), libc.setgroups(0, None), libc.prctl(28, 0, 0, 0, 0))\n"
        "print([line for line in open('/proc/self/status') if line.startswith('Cap')])"
    ),
    # --- the network ---------------------------------------------------------------------------------------------
    "a server of this machine": python(
        "for at in ('127.0.0.1', 'localhost', '10.0.2.2', '169.254.169.254'):\n"
        "    try: socket.create_connection((at, int(os.environ['PORT'])), 1).sendall(b'owned')\n"
        "    except OSError as e: print(e)"
    ),
    "an abstract socket": python(
        "s = socket.socket(socket.AF_UNIX)\n"
        "try: s.connect('\\0' + os.environ['ABSTRACT']); s.sendall(b'owned')\nexcept OSError as e: print(e)"
    ),
    "a socket in the project": python(
        "s = socket.socket(socket.AF_UNIX)\n"
        "try: s.connect('own.sock'); s.sendall(b'owned')\nexcept OSError as e: print(e)"
    ),
    "a socket outside": python(
        "for path in (os.environ['SOCKET'], '/run/docker.sock', '/run/dbus/system_bus_socket'):\n"
        "    try: socket.socket(socket.AF_UNIX).connect(path)\n    except OSError as e: print(e)"
    ),
    "a pipe in the project": "timeout 1 sh -c 'echo owned > pipe'; timeout 1 cat pipe",
    "other kinds of sockets": python(
        "for family, kind in ((40, 1), (17, 3), (38, 5), (31, 3), (29, 3), (2, 3), (16, 3)):\n"
        "    try: print(family, socket.socket(family, kind, 0))\n    except OSError as e: print(family, e)"
    ),
    "a new link to the network": "ip link add v type veth; ip link set lo down; ip route add default via 127.0.0.1; ip addr",
    # --- the layers of the view ----------------------------------------------------------------------------------
    "whiteouts by hand": "mknod kept.txt c 0 0; mknod new c 0 0; rm kept.txt; mknod kept.txt c 0 0; ls -l kept.txt new",
    "marks of the overlay": python(
        "for name in ('user.overlay.opaque', 'user.overlay.redirect', 'user.overlay.metacopy', 'trusted.overlay.opaque'):\n"
        "    for path in ('sub', 'kept.txt', '.'):\n"
        "        try: os.setxattr(path, name, b'y'); print('set', name)\n        except OSError as e: print(e)"
    ),
    "find the upper layer": "cat /proc/mounts; grep -o 'upperdir=[^,]*' /proc/self/mountinfo; find / -name upper -o -name work 2>/dev/null",
    # --- using up ------------------------------------------------------------------------------------------------
    "a fork bomb": "bomb() { bomb | bomb & }; bomb; sleep 8",
    "fill the disk": "head -c 900000000 /dev/zero > big; for i in $(seq 200); do truncate -s 100M s$i; done; ls -lh big",
    "fill with names": "mkdir f; cd f; /usr/bin/python3 -c 'for n in range(60000): open(str(n), chr(119))' 2>&1 | tail -1",
}
