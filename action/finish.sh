#!/usr/bin/env bash
# Ends with the exit code of the program.
exit "${EXIT_CODE:-2}"
