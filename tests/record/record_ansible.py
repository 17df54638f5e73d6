"""Record how Ansible renders templates: tests/templates/ansible/*.j2 with vars.yml, beside each its .rendered.

    python3 -m venv VENV && VENV/bin/pip install ansible-core==2.19.*
    VENV/bin/python tests/record/record_ansible.py            # write
    VENV/bin/python tests/record/record_ansible.py --check    # compare
    VENV/bin/python tests/record/record_ansible.py --folder FOLDER --vars FILE... --root ROOT TEMPLATE...   # render elsewhere

The module `ansible.builtin.template` renders them, as a play does. A template that Ansible refuses has the text `error`.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "templates" / "ansible"


def render(templates, variables, root, out):
    """Render templates with one play; returns those that fail."""
    play = [{
        "hosts": "localhost",
        "connection": "local",
        "gather_facts": False,
        "vars": {"ansible_python_interpreter": sys.executable},
        "vars_files": [str(path) for path in variables],
        "tasks": [
            {
                "name": f"render {index}",
                "ansible.builtin.template": {"src": str(template), "dest": str(out / f"{index}")},
                "ignore_errors": True,
            }
            for index, template in enumerate(templates)
        ],
    }]
    playbook = root / "record_ansible_play.json"
    playbook.write_text(json.dumps(play))
    ansible = pathlib.Path(sys.executable).parent / "ansible-playbook"
    config = out / "ansible.cfg"
    config.write_text("[defaults]\n")
    env = dict(os.environ, ANSIBLE_CONFIG=str(config), ANSIBLE_LOCALHOST_WARNING="False", ANSIBLE_DEPRECATION_WARNINGS="False", ANSIBLE_NOCOWS="1",
               ANSIBLE_INVENTORY_UNPARSED_WARNING="False")
    try:
        done = subprocess.run([str(ansible), "-i", "localhost,", str(playbook)], env=env, capture_output=True, text=True, check=False)
    finally:
        playbook.unlink()
    return done.stdout + done.stderr


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--folder", type=pathlib.Path, default=None)
    parser.add_argument("--vars", nargs="*", type=pathlib.Path, default=None)
    parser.add_argument("--root", type=pathlib.Path, default=None)
    parser.add_argument("templates", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    templates = arguments.templates or sorted(FOLDER.glob("*.j2"))
    variables = arguments.vars or [FOLDER / "vars.yml"]
    root = (arguments.root or FOLDER).resolve()
    with tempfile.TemporaryDirectory() as name:
        out = pathlib.Path(name)
        said = render([path.resolve() for path in templates], [path.resolve() for path in variables], root, out)
        differs = False
        for index, template in enumerate(templates):
            made = out / f"{index}"
            text = made.read_text() if made.exists() else "error\n"
            if not made.exists():
                print(f"{template}: not rendered", file=sys.stderr)
            if arguments.folder:
                arguments.folder.mkdir(parents=True, exist_ok=True)
                (arguments.folder / f"{template.name}.rendered").write_text(text)
                continue
            recorded = template.with_suffix(".rendered")
            if arguments.check:
                if not recorded.exists() or recorded.read_text() != text:
                    print(f"{template.name} differs", file=sys.stderr)
                    differs = True
            else:
                recorded.write_text(text)
        if arguments.folder:
            (arguments.folder / "ansible.log").write_text(said)
    return 1 if differs else 0


if __name__ == "__main__":
    sys.exit(main())
