"""Studies of `pp_attachment`."""
