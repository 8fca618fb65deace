"""An HTML page that shows a history: what each patch changed, and what differs between versions.

The page needs nothing else: no server, no network, no other file. It starts with a small summary,
so that it shows its first view immediately. All other data are in compressed blocks, which the page
unpacks when it needs them.
"""
