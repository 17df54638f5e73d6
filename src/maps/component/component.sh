#!/bin/sh
# Replaced by the whole script.
exit 1
