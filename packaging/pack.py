#!/usr/bin/env python3
"""Packs a folder into an archive that depends on nothing but the names and contents of its files.

    packaging/pack.py FOLDER ARCHIVE     # ARCHIVE ends in .tar.gz or .zip; names in it begin with the name of FOLDER

Entries are sorted, belong to nobody, and have the time SOURCE_DATE_EPOCH (1980-01-01 otherwise). Programs may be run by
everybody, all other files are only read.
"""

import gzip
import io
import os
import sys
import tarfile
import time
import zipfile

EPOCH = int(os.environ.get("SOURCE_DATE_EPOCH", "315532800"))


def files(folder):
    """The files below a folder, each with its name in the archive and its mode, sorted by name."""
    root = os.path.dirname(os.path.abspath(folder))
    for path, folders, names in os.walk(os.path.abspath(folder)):
        folders.sort()
        for name in names:
            file = os.path.join(path, name)
            is_program = name in ("stacklint", "stacklint.exe")
            yield os.path.relpath(file, root).replace(os.sep, "/"), file, 0o755 if is_program else 0o644


def tar(entries):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, file, mode in entries:
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime, entry.mode = os.path.getsize(file), EPOCH, mode
            with open(file, "rb") as content:
                archive.addfile(entry, content)
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", fileobj=packed, mode="wb", mtime=EPOCH, compresslevel=9) as compressed:
        compressed.write(out.getvalue())
    return packed.getvalue()


def zipped(entries):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, file, mode in entries:
            entry = zipfile.ZipInfo(name, time.gmtime(EPOCH)[:6])
            entry.create_system, entry.external_attr = 3, mode << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            with open(file, "rb") as content:
                archive.writestr(entry, content.read())
    return out.getvalue()


def main():
    folder, archive = sys.argv[1:]
    entries = sorted(files(folder))
    with open(archive, "wb") as out:
        out.write(zipped(entries) if archive.endswith(".zip") else tar(entries))


if __name__ == "__main__":
    main()
