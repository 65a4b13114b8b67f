"""Slack as a place where people answer: each session has a thread, each question a message in it.

The ledger is the only truth. What is shown in Slack is made from it again and again until both agree, so that a
restart, a refused request or a day without Slack costs nothing but time. Nothing here is on the way of a decision.

    desk.py     keeps the messages in step with the ledger
    poster.py   one question: its message, posted or edited
    ears.py     the socket on which clicks and texts come in, each taken once
    answer.py   from a click or a text to an answer, or to a word with whoever gave it
    spoken.py   what a text in a thread says
    message.py  a question as a message
    threads.py  which message is which question's, kept on disk
    web.py      Slack's Web API: what to do later, and what never
    people.py   which person a user of Slack is
"""
