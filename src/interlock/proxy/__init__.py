"""The model proxy: stands between an agent's client and its model, and judges each tool call in the answer.

    app.py       one request: what it is, who asks, where it goes
    apis.py      which address speaks which API
    asked.py     the request: its session, and the tools that the provider would run by itself
    answered.py  the answer, driven through a rewriter while calls are judged and held
    judging.py   the gate's verdict on one call, and the wait for a person
    rewrite/     one pure rewriter for each API

A front of the engine: it decides nothing by itself.
"""
