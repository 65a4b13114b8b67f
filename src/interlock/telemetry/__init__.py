"""What was decided and answered, told to the systems that people watch already: OpenTelemetry, JSON lines, syslog.

Everything is told from the ledger, by a reader of it, in a process or a thread of its own. A hook does nothing for it,
so a collector that is slow, gone or hostile delays no verdict, and what it missed it gets later.

    told.py      a row of the ledger -> what is told of it
    settings.py  the table `[telemetry]`: where to
    jsonl.py, syslog.py, otlp.py   one kind of receiver each
    place.py     how far each receiver has got, on disk
    follower.py  follows the ledger for one receiver
    traces.py    which request of the HTTP service a decision was made in
"""
