#!/usr/bin/env bash
# Exits with the exit code of the program.
exit "${EXIT_CODE:-2}"
