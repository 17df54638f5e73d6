"""Record how Ansible reads inventories: tests/templates/inventory/*, beside each its .json with the groups and variables of each host.

    python3 -m venv VENV && VENV/bin/pip install ansible-core==2.19.*
    VENV/bin/python tests/record/record_inventory.py            # write
    VENV/bin/python tests/record/record_inventory.py --check    # compare
    VENV/bin/python tests/record/record_inventory.py INVENTORY  # print those of another inventory
"""

import json
import pathlib
import sys

from ansible.inventory.helpers import get_group_vars, sort_groups
from ansible.inventory.manager import InventoryManager
from ansible.parsing.dataloader import DataLoader

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "templates" / "inventory"
OWN = {"inventory_file", "inventory_dir", "inventory_hostname", "inventory_hostname_short", "group_names"}


def plain(value):
    """A value without Ansible's marks."""
    return json.loads(json.dumps(value, default=str))


def read(path):
    """The hosts of an inventory: their groups from outer to inner, the variables of these, their own variables."""
    manager = InventoryManager(loader=DataLoader(), sources=[str(path)])
    hosts = {}
    for host in manager.get_hosts():
        groups = host.get_groups()
        own = {name: value for name, value in host.get_vars().items() if name not in OWN}
        hosts[str(host.name)] = {
            "groups": [str(group.name) for group in sort_groups(groups) if group.name != "all"],
            "of_groups": plain(get_group_vars(groups)),
            "of_host": plain(own),
        }
    return json.dumps(hosts, indent=1, sort_keys=True) + "\n"


def main():
    others = [path for path in sys.argv[1:] if path != "--check"]
    if others:
        print(read(others[0]), end="")
        return 0
    differs = False
    for path in sorted(path for path in FOLDER.iterdir() if path.suffix != ".json"):
        recorded, text = path.with_name(path.name + ".json"), read(path)
        if "--check" not in sys.argv:
            recorded.write_text(text)
        elif not recorded.exists() or recorded.read_text() != text:
            print(f"{path.name} differs", file=sys.stderr)
            differs = True
    return 1 if differs else 0


if __name__ == "__main__":
    sys.exit(main())
