"""The version stands in Cargo.toml alone."""
import pathlib
import re

import setuptools

cargo = pathlib.Path(__file__).with_name("Cargo.toml").read_text(encoding="utf-8")
version = re.search(r'^version = "([^"]+)"$', cargo, re.MULTILINE).group(1)
setuptools.setup(version=version, install_requires=[f"stacklint=={version}"], packages=[], py_modules=[])
