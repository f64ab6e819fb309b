"""Brings built folders out: into the caches of this machine, onto a Hub, as files of a field."""
