"""The page: what waits, what happened and why, for the people who answer.

Made on the server; a form is all that answering takes. A script adds what is nice to have: new questions appear by
themselves, and keys move through them.

    ways.py      the routes, who may, and what a form must carry
    drawn.py     templates and files; no text from outside gets past it unseen
    question.py  a question, with all that a person needs to answer it
    entries.py   rows of the ledger as a timeline, with filters
    decided.py   one decision: every layer's word, near misses, and its replay
    charts.py    figures over time, as shapes

The rest are the other views, one file each.
"""
