#!/usr/bin/env python3
"""github-actions.py: plays github-actions.yml on this machine, so that what it runs is what works.

Each `run:` is run as it stands there, by the shell that GitHub takes, in a folder of its job's own; the three actions it uses do
here what they do there, with folders. Not run is `make deps build`, of which the curfew on PATH comes: that such targets
are there is looked at.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).resolve().parent
TREE = HERE.parent.parent
PARTS = ("curfew", "curfew-timeline", "curfew-test")
NOT_RUN = "make deps build"
EVEN_SO = "${{ !cancelled() }}"  # a failure before it


def step_of(text):
    print(f"- {text}", flush=True)


class Failed(Exception):
    pass


def check(holds, what):
    if not holds:
        raise Failed(what)


class Job:
    """One run of a job: its folders, and the values of its expressions."""

    def __init__(self, name, job, matrix, total, place, artifacts):
        self.name, self.job, self.artifacts = name, job, artifacts
        self.workspace, self.temp = place / "workspace", place / "temp"
        self.workspace.mkdir(parents=True)
        self.temp.mkdir()
        self.added = self.temp / "added-to-path"
        self.added.touch()
        self.values = {"runner.temp": self.temp, "strategy.job-total": total}
        self.values |= {f"matrix.{key}": value for key, value in matrix.items()}

    def fill(self, text):
        """The text with its expressions' values; an unknown one is an error."""
        def value(found):
            check(found[1] in self.values, f"{self.name}: nothing is known of ${{{{ {found[1]} }}}}")
            return str(self.values[found[1]])
        return re.sub(r"\$\{\{ *([^ }]+) *\}\}", value, text)

    def play(self):
        """Whether every step went well. One after a failure is played only if its `if` says so."""
        is_well = True
        for step in self.job["steps"]:
            condition = step.get("if", "success()")
            check(condition in ("success()", EVEN_SO), f"{self.name}: nothing is known of if: {condition}")
            if is_well or condition == EVEN_SO:
                is_well = (self.run(step["run"]) if "run" in step else self.use(step)) and is_well
        return is_well

    # ------------------------------------------------------------ run

    def run(self, text):
        text = self.fill(text).strip()
        step_of(f"{self.name}: " + text.replace("\n", "; "))
        if text == NOT_RUN:
            return subprocess.run(["make", "-C", TREE, "--dry-run", *NOT_RUN.split()[1:]],
                                  stdout=subprocess.DEVNULL).returncode == 0
        script = self.temp / "step.sh"
        script.write_text(text)
        environment = self.environment()
        if text.startswith("curfew "):
            found = shutil.which("curfew", path=environment["PATH"])
            check(found and self.temp in pathlib.Path(found).parents, f"{self.name}: takes {found}, not what was built")
        # Without a `shell:` it is this one. Source: GitHub's documentation, "Workflow syntax", jobs.<job_id>.steps[*].shell.
        return subprocess.run(["bash", "-e", script], cwd=self.workspace, env=environment).returncode == 0

    def environment(self):
        paths = [*reversed(self.added.read_text().splitlines()), os.environ["PATH"]]
        mine = {"PATH": os.pathsep.join(paths), "RUNNER_TEMP": self.temp, "GITHUB_PATH": self.added,
                "GITHUB_ACTIONS": "true", "GITHUB_WORKSPACE": self.workspace, "CI": "true"}
        return os.environ | {key: str(value) for key, value in mine.items()}

    # ------------------------------------------------------------ uses

    def use(self, step):
        action = step["uses"].partition("@")[0]
        options = {key: self.fill(str(value)) for key, value in step.get("with", {}).items()}
        doings = {"actions/checkout": self.check_out, "actions/upload-artifact": self.upload,
                  "actions/download-artifact": self.download}
        check(action in doings, f"{self.name}: nothing is known of {action}")
        doings[action](**options)
        return True

    def check_out(self):
        """The tree, with what `make build` makes of it where that is."""
        (self.workspace / "examples").symlink_to(TREE / "examples")
        release = self.workspace / ".build-static/release"
        release.mkdir(parents=True)
        for part in PARTS:
            shutil.copy(installed(part), release)

    def upload(self, name, path):
        kept = self.artifacts / name
        check(not kept.exists(), f"{self.name}: there is an artifact {name} already")
        kept.mkdir(parents=True)
        # What several paths have in common isn't kept; here that is the workspace.
        for source in [self.workspace / line for line in path.split("\n") if line]:
            check(source.exists() or len(path.split()) > 1, f"{self.name}: there is no {source.name} to upload")
            if source.is_dir():
                shutil.copytree(source, kept / source.name, copy_function=shutil.copyfile)
            elif source.exists():
                shutil.copyfile(source, kept / source.name)

    def download(self, name=None, path="."):
        """Without a name all of them, a folder each."""
        source, target = self.artifacts / (name or "."), self.workspace / path
        check(source.is_dir(), f"{self.name}: there is no artifact {name}")
        shutil.copytree(source, target, dirs_exist_ok=True)


def installed(part):
    """Where a part of the curfew on PATH is: beside it, or where `make install` puts it."""
    curfew = pathlib.Path(shutil.which("curfew")).resolve()
    places = [curfew.with_name(part), curfew.parent.parent / "libexec/curfew" / part]
    return next(place for place in places if place.exists())


def combinations(job):
    """The values of each run of a job."""
    matrices = [{}]
    for key, values in job.get("strategy", {}).get("matrix", {}).items():
        matrices = [known | {key: value} for known in matrices for value in values]
    return matrices


def play(workflow, scratch):
    """The jobs in their order, each after those it needs; whether all went well."""
    is_well, played = True, set()
    for name, job in workflow["jobs"].items():
        check({*job.get("needs", "").split()} <= played, f"{name} needs what comes after it")
        played.add(name)
        if is_well or job.get("if") == EVEN_SO:
            is_well = play_each(name, job, scratch) and is_well
    return is_well


def play_each(name, job, scratch):
    """A job with each set of its matrix's values; whether all went well."""
    runs, failed = combinations(job), 0
    for number, matrix in enumerate(runs, 1):
        label = f"{name} {number}" if len(runs) > 1 else name
        failed += not Job(label, job, matrix, len(runs), scratch / label, scratch / "artifacts").play()
    return failed == 0


def main():
    try:
        import yaml
    except ImportError:
        print("skipped: PyYAML isn't installed")
        return 77
    workflow = yaml.safe_load((HERE / "github-actions.yml").read_text())
    with tempfile.TemporaryDirectory(prefix="curfew-example.") as folder:
        scratch = pathlib.Path(folder)
        check(play(workflow, scratch), "a step of github-actions.yml failed")
        joined = xml.etree.ElementTree.parse(scratch / "artifacts/results/results.xml")
        cases = len(joined.getroot().findall(".//testcase"))
        listed = subprocess.run(["curfew", "test", "--list", "examples/fleet/suite.curfew"], cwd=TREE, check=True,
                                capture_output=True, text=True).stdout.count("\n")
        check(cases == listed, f"{cases} test cases are in the joined file, not {listed}")
        step_of(f"{cases} test cases, each played by one shard, in one file")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as error:
        sys.exit(f"FAILED: {error}")
