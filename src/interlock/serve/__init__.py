"""`interlock serve`: decisions and approvals over HTTP, and a page for the people who answer.

A front of the Engine as the hook is one: it turns requests into events, and what comes of them into answers. Nothing is
decided here.

    app.py       the routes, from one table
    deciding.py  the route of decisions, which every call of every agent goes through
    service.py   what a request does, in plain functions on the ledger; no HTTP in it
    callers.py   who is at the other end
    hub.py       waiting for what others write into the ledger
    webhooks.py  events of the ledger, sent on to others
    slack/       people who answer in Slack
    guards.py    what every request is held to before anything else looks at it
"""
