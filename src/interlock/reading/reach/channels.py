"""Addresses behind which other people read what is sent: webhooks, chats, mail and message services.

A request there is a message to somebody. Most take one by POST; some post whatever the method, so that a plain fetch is
enough. Where a part of the address is not known, it may be the one that posts.
"""

from __future__ import annotations

from ..places.secret_words import unquoted

__all__ = ["posts"]

# host, or the domain that it lies in -> beginnings of parts of the path, of which one must be there; none: any path
_BY_SENDING = {
    "slack.com": "api", "discord.com": "webhooks channels", "discordapp.com": "webhooks channels",
    "api.telegram.org": "", "webhook.office.com": "", "outlook.office.com": "webhook", "outlook.office365.com":
    "webhook", "logic.azure.com": "", "powerplatform.com": "", "graph.microsoft.com": "sendmail messages chats reply",
    "chat.googleapis.com": "", "gmail.googleapis.com": "send messages drafts", "webexapis.com": "messages webhooks",
    "api.line.me": "", "graph.facebook.com": "", "api.twitter.com": "", "api.x.com": "", "bsky.social": "xrpc",
    "oauth.reddit.com": "api", "api.linkedin.com": "", "api.zulip.com": "", "zulipchat.com": "api",
    "api.twilio.com": "", "rest.nexmo.com": "", "api.nexmo.com": "", "api.sendgrid.com": "mail", "api.mailgun.net":
    "messages", "api.eu.mailgun.net": "messages", "api.postmarkapp.com": "", "api.resend.com": "emails broadcasts",
    "api.mailjet.com": "send", "api.brevo.com": "", "api.sendinblue.com": "", "api.mailchimp.com": "",
    "mandrillapp.com": "", "ntfy.sh": "", "api.pushover.net": "", "api.pushbullet.com": "", "maker.ifttt.com": "",
    "integromat.com": "", "pipedream.net": "",
    "events.pagerduty.com": "", "api.pagerduty.com": "", "api.opsgenie.com": "", "open.feishu.cn": "",
    "open.larksuite.com": "", "oapi.dingtalk.com": "", "qyapi.weixin.qq.com": "",
}  # fmt: skip
# The same for requests of any method.
_BY_ASKING = {
    "slack.com": "chat. files.", "api.telegram.org": "send forward copy edit delete pin", "maker.ifttt.com": "trigger",
    "ntfy.sh": "publish send trigger", "pipedream.net": "",
    "api.twilio.com": "messages calls", "rest.nexmo.com": "sms",
}  # fmt: skip
# What a path is called at hosts of one's own: Mattermost, Rocket.Chat, Matrix, and whatever takes a webhook.
_ANYWHERE = ("webhook", "hooks", "incoming-webhook", "_matrix", "chat.postmessage")
_HOOKS = frozenset(("hook", "hooks", "webhook", "webhooks"))  # `hooks.slack.com`, `hook.eu1.make.com`: by any method
_MAIL = ("smtp", "smtps", "submission")


def posts(host: str, url: str, *, sends: bool) -> bool:
    """Whether a request to the address is a message to other people. `sends`: it carries more than its address."""
    scheme, mark, rest = url.partition("://")
    if mark and scheme.lower() in _MAIL:
        return sends
    path = (rest if mark else url).replace("?", "/?").partition("/")[2].partition("?")[0]
    parts = [part for part in unquoted(path).lower().split("/") if part not in ("", ".")]
    return (
        (host.partition(".")[0] in _HOOKS and "." in host)
        or _is_listed(_BY_ASKING, host, parts)
        or (sends and (_is_listed(_BY_SENDING, host, parts) or any(part.startswith(_ANYWHERE) for part in parts)))
    )


def _is_listed(table: dict[str, str], host: str, parts: list[str]) -> bool:
    labels = host.split(".")
    for at in range(len(labels) - 1):
        words = table.get(".".join(labels[at:]))
        if words is not None:
            begins = tuple(words.split())
            return not begins or any(part.startswith(begins) or "\0" in part for part in parts)
    return False
