#!/usr/bin/env python3
"""Makes a map of one completed component look like one of many, of which 97 in 100 are done: to measure verbs with.

    many_components.py "$(tpvc maps path TAG)" COUNT
"""

import json
import pathlib
import sys


def main():
    folder, count = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    items = folder / "itemdata.json"
    item = json.loads(items.read_text())[0]
    rows = (json.dumps({**item, "component": index}, separators=(",", ":")) for index in range(count))
    items.write_text("[\n" + ",\n".join(rows) + "\n]\n")
    (folder / "components").write_text(f"{count}\n")
    cluster = folder / "clusters" / "0.json"
    cluster.write_text(json.dumps({**json.loads(cluster.read_text()), "components": f"0-{count - 1}"}))
    summary = (folder / "summaries" / "0.json").read_text()
    output = (folder / "outputs" / "0.jsonl.zst").read_bytes()
    for index in range(1, count * 97 // 100):
        (folder / "summaries" / f"{index}.json").write_text(summary.replace('"component":0', f'"component":{index}'))
        (folder / "outputs" / f"{index}.jsonl.zst").write_bytes(output)


if __name__ == "__main__":
    main()
