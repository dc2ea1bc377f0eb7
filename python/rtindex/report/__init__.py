"""Turns measurement records into one page that opens from disk: python -m rtindex.report results/

Needs nothing but the standard library, so that records can be looked at on any machine.
"""
