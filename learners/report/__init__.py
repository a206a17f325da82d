"""The report: one page of everything that a folder holds, each result with who did what."""
