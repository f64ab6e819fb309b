"""What every floor stands on and that knows no linguistics.

Tables, stores, downloads, files, Markdown, paths.

Nothing here imports a module of ours outside this folder.
"""
