#!/bin/bash
# The figures of bench/peers come from logs: on logs written by hand they must be what a person would find.
exec python3 "$(dirname "$0")/../../bench/peers/selftest.py"
