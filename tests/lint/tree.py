"""The files of the repository, for the checks that read all of them."""

import os
import subprocess

# Made by a build or a tool, or laid beside the checkout; never part of the repository.
SKIPPED_FOLDERS = {".git", "build", ".cache", "__pycache__", "shared", "node_modules"}


def files(root):
    """Tracked files and new ones that git does not ignore; without git, the tree's own."""
    listing = None
    if (root / ".git").exists():
        try:
            listing = subprocess.run(
                ["git", "-c", f"safe.directory={root}", "-C", str(root), "ls-files", "-z",
                 "--cached", "--others", "--exclude-standard"],
                check=True, capture_output=True).stdout
        except (OSError, subprocess.CalledProcessError):
            listing = None
    if listing is not None:
        names = {os.fsdecode(name) for name in listing.split(b"\0") if name}
        names = {name for name in names if name.split("/")[0] != "shared"}
        return [root / name for name in sorted(names) if (root / name).is_file()]
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(set(folders) - SKIPPED_FOLDERS)
        found += [root / os.path.relpath(os.path.join(folder, name), root) for name in names]
    return sorted(path for path in found if path.is_file())


def text_of(path):
    """The file's text, or nothing if it is no text."""
    data = path.read_bytes()
    if b"\0" in data[:8192]:
        return None
    return data.decode("utf-8", errors="replace")
