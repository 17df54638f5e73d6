"""The pages that tpvc writes, in a real browser: `pages.py TPVC CHROMIUM [SCREENSHOTS]`, which `.ci/pages` runs.

Each page is made by tpvc, opened at two widths and in both colour schemes, checked for what every page must be (nothing is fetched, nothing fails,
nothing is wider than the window, a screen reader gets along), and then clicked through.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

import making
import walks

WIDTHS = (1280, 390)
# The whole text that a reader sees first of each page; `UPDATE_EXPECT=1` writes it.
FIRST = Path(__file__).parent / "first"
SCHEMES = ("light", "dark")
# A page alone has no site around it, so that nothing can be skipped to.
RULES = {"rules": {"bypass": {"enabled": False}}}


def every_page_holds(page, name):
    """What must be true of every page."""
    width = page.evaluate("document.documentElement.scrollWidth")
    window = page.viewport_size["width"]
    assert width <= window, f"{name}: {width} pixels wide in a window of {window}"
    assert page.locator("h1").count() == 1, f"{name}: one heading of the whole page"
    violations = Axe().run(page, options=RULES).response["violations"]
    told = [f"{found['id']}: {found['help']}: {found['nodes'][0]['html'][:200]}" for found in violations]
    assert not told, f"{name}: " + "\n".join(told)
    small = page.evaluate("[...document.querySelectorAll('svg text')].filter((text) => parseFloat(getComputedStyle(text).fontSize) < 12).length")
    assert small == 0, f"{name}: {small} texts of plots below 12 pixels"


def first_screen(page, name):
    """Compares what stands above the second section with its file."""
    blocks = page.locator("main > header, main > nav, main > section:first-of-type").all_inner_texts()
    lines = [line.strip() for block in blocks for line in block.splitlines()]
    text = "".join(f"{line}\n" for line in lines if line)
    file = FIRST / f"{name}.txt"
    if os.environ.get("UPDATE_EXPECT"):
        FIRST.mkdir(exist_ok=True)
        file.write_text(text)
    assert text == file.read_text(), f"{name}: the first screen differs from {file}:\n{text}"


def check(browser, path, walk, screenshots):
    for width in WIDTHS:
        for scheme in SCHEMES:
            name = f"{path.stem}-{width}-{scheme}"
            context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
            page = context.new_page()
            faults = []
            page.on("pageerror", lambda error: faults.append(str(error)))
            page.on("console", lambda message: faults.append(message.text) if message.type in ("error", "warning") else None)
            page.on("request", lambda request: None if request.url.startswith("file:") else faults.append(request.url))
            page.goto(path.as_uri())
            page.wait_for_timeout(200)
            if screenshots:
                page.screenshot(path=screenshots / f"{name}.png", full_page=True)
            every_page_holds(page, name)
            if (width, scheme) == (WIDTHS[0], SCHEMES[0]):
                first_screen(page, path.stem)
            if walk:
                walk(page)
                every_page_holds(page, f"{name} after clicks")
            assert not faults, f"{name}: {faults}"
            context.close()
    # What a page says, it says without scripts, too.
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(path.as_uri())
    assert page.locator("h1").count() == 1 and len(page.locator("main").inner_text()) > 100, f"{path.stem} without scripts"
    context.close()


def main():
    tpvc, chromium = Path(sys.argv[1]).resolve(), sys.argv[2]
    screenshots = Path(sys.argv[3]).resolve() if len(sys.argv) > 3 else None
    if screenshots:
        screenshots.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        pages = making.make(lambda *args: subprocess.run([tpvc, *args], cwd=folder, check=False, capture_output=True, text=True), Path(folder))
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for path in pages:
            check(browser, path, getattr(walks, path.stem.replace("-", "_"), None), screenshots)
            print(f"{path.stem}: whole at {len(WIDTHS)} widths, in {len(SCHEMES)} colour schemes", flush=True)
        browser.close()
    print(f"{len(pages)} passed, 0 failed")


if __name__ == "__main__":
    main()
