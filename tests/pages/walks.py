"""What a reader does on each page: a function a page, named after it."""


def explanation(page):
    # The destinations that refuse the job are folded.
    refused = page.locator("summary", has_text="cannot take the job")
    assert not page.locator(".badge.bad").first.is_visible()
    refused.click()
    assert page.locator(".badge.bad").first.is_visible()


def sweep(page):
    figures = page.locator("figure svg[role=img]")
    # Destinations, cores and memory.
    assert figures.count() == 3, figures.count()
    label = figures.first.get_attribute("aria-label")
    assert "slurm" in label and "error" in label, label
    assert page.locator("#places").get_by_text("slurm", exact=True).count() == 1
    assert page.locator("tbody tr").count() == 3
    # A tip follows the pointer.
    box = figures.nth(1).bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert page.locator("#resources").get_by_text("16 (").count() >= 1


def sweep_list(page):
    assert page.locator("tbody tr").count() == 2
    assert page.locator("tbody").get_by_text("guest").count() == 2


def coverage(page):
    # A file is folded until it is asked for.
    assert not page.locator("table.source").is_visible() and page.locator("details a:visible").count() == 0
    page.get_by_role("link", name="config.yml").click()
    assert page.locator("details.file[open] > summary").inner_text().endswith(" lines used, 5 parts not used")
    page.get_by_text("5 not used", exact=True).click()
    assert page.locator("details.file details[open] li").count() == 5
    rows = page.locator("tr", has_text="fail:")
    assert rows.count() == 1 and rows.is_visible() and "0" in rows.inner_text()


def diff(page):
    # Destinations, flows, ratios and tools.
    assert page.locator("figure svg[role=img]").count() == 4
    page.locator("summary", has_text="destination: slurm → bigmem").click()
    assert page.locator("details[open]").get_by_text("cores 4 if").count() >= 1
    assert page.locator("#changes tbody tr").count() == 2
    page.locator("#changes").get_by_label("Search").fill("bwa_mem cores")
    assert page.locator("#changes tbody tr").count() == 1


MATRIX_DIALOG = [
    "Close",
    "bwa_mem",
    "config.yml:10",
    "Ordinary jobs",
    "0.1 GiB of inputs: slurm (4 cores · 15.2 GiB)",
    "1 GiB of inputs: slurm (4 cores · 15.2 GiB)",
    "10 GiB of inputs: bigmem-with-a-rather-long-name-for-a-destination (16 cores · 60.8 GiB)",
    "100 GiB of inputs: bigmem-with-a-rather-long-name-for-a-destination (16 cores · 60.8 GiB)",
    "Jobs of any user may go to",
    "slurm, bigmem-with-a-rather-long-name-for-a-destination, training",
]


def matrix(page):
    # bwa_mem, and all others; at four sizes where there is room.
    tried = page.locator("#ordinary tbody tr")
    assert tried.count() == 2, tried.count()
    assert tried.first.locator("td:visible").count() in (1, 4)
    tried.get_by_role("button", name="bwa_mem").click()
    dialog = page.get_by_role("dialog")
    assert [line for line in dialog.inner_text().splitlines() if line] == MATRIX_DIALOG, dialog.inner_text()
    dialog.get_by_role("button", name="Close").click()
    # bwa_mem, all others, and user-defined ones.
    rows = page.locator("#matrix tbody tr")
    assert rows.count() == 3, rows.count()
    # Cells are in sight on narrow screens, too.
    box = rows.first.locator("td.cell").first.bounding_box()
    assert box["x"] + box["width"] <= page.viewport_size["width"], box
    page.locator("#matrix").get_by_label("Search").fill("bwa")
    assert rows.count() == 1
    rows.get_by_role("button", name="bwa_mem").click()
    assert "Jobs of any user may go to" in dialog.inner_text()
    dialog.get_by_role("button", name="Close").click()
    assert dialog.count() == 0
    page.get_by_role("combobox", name="Jobs of").select_option("users without roles")
    page.locator("#matrix").get_by_label("Search").fill("bwa")
    rows.get_by_role("button", name="bwa_mem").click()
    assert "Without roles may go to" in dialog.inner_text()
    dialog.get_by_role("button", name="Close").click()
    page.get_by_label("Destinations shown").fill("slurm")
    assert page.locator("#matrix thead th").count() == 3


def fit(page):
    # What is proposed comes first; the others are a choice away.
    assert page.locator("#tools tbody tr").count() == 1
    page.locator("#tools").get_by_label("Tools").last.select_option("all")
    assert page.locator("#tools tbody tr").count() == 2
    figures = page.locator("figure svg[role=img]")
    # That of the tool that wastes most stands open; the other is drawn once it is looked at.
    assert figures.count() == 1, figures.count()
    label = figures.first.get_attribute("aria-label")
    assert "assembler: memory by size of inputs of 240 jobs" in label, label
    page.locator("#tools").get_by_role("button", name="tiny-tool").click()
    page.wait_for_timeout(200)
    assert figures.count() == 2, figures.count()
    assert page.locator("details[open]").get_by_text("too few jobs").count() == 1
    page.locator("#tools").get_by_label("Search").fill("assembler")
    assert page.locator("#tools tbody tr").count() == 1
    figures.first.scroll_into_view_if_needed()
    box = figures.first.locator("circle").nth(100).bounding_box()
    page.mouse.move(box["x"] + 2, box["y"] + 2)
    assert page.get_by_text("GiB of inputs: used").count() >= 1


def simulation(page):
    figures = page.locator("figure svg[role=img]")
    assert figures.count() >= 3, figures.count()
    # The label is that of the drawing, not of a swatch in its legend.
    widths = [figure.bounding_box()["width"] for figure in figures.all()]
    assert min(widths) > 200, widths


def grid(page):
    figures = page.locator("figure svg[role=img]")
    # The front, and one for each axis.
    assert figures.count() == 3, figures.count()
    assert "all.cores=32 all.jobs=8 waits" in figures.first.get_attribute("aria-label")
    assert page.locator("tbody tr").count() == 15
    box = figures.first.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert page.locator("#front").get_by_text("core·h idle or wasted").count() >= 2
