"""Turns measurement records into one HTML page: python -m rtindex_report results/

Uses the standard library alone, so that it runs on any machine.
"""
