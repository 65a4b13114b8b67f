"""Sign-in in a real Chromium: it comes back from another site, and the page's cookie is there at once."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Request, sync_playwright

from interlock.serve.settings import Oidc
from interlock.value import FrozenMap
from serving import Serving
from sign_in_provider import CLIENT, SECRET, sign_ins

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here")
def test_the_first_page_after_a_sign_in_has_the_cookie(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text(SECRET)
    with sign_ins() as provider:
        provider.url = provider.url.replace("127.0.0.1", "localhost")  # another site than the service's
        provider.asks = True
        people = FrozenMap({"ann@example.com": "ann:approver"})
        oidc = Oidc(issuer=provider.url, client=CLIENT, secret=str(tmp_path / "secret"), people=people)
        with Serving(tmp_path, settings={"oidc": oidc}) as service, sync_playwright() as playwright:
            chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            try:
                page = chromium.new_page()
                seen: list[Request] = []

                def noted(request: Request) -> None:
                    seen.append(request)

                page.on("request", noted)
                page.goto(f"{service.url}/sign-in/oidc")
                assert page.url.startswith(f"{provider.url}/authorize")
                page.get_by_text("sign in").click()
                page.wait_for_url(f"{service.url}/", timeout=20_000)
                landed = next(request for request in seen if request.url == f"{service.url}/")
                assert "interlock=ilt_" in landed.all_headers().get("cookie", "")
                came = next(request for request in seen if "/sign-in/oidc/back" in request.url)
                assert came.all_headers()["sec-fetch-site"] == "cross-site"
                assert page.evaluate("document.cookie") == ""  # no script can read it
                answer = page.goto(f"{service.url}/v1/approvals")
                assert answer is not None
                assert answer.status == 200
            finally:
                chromium.close()
