"""Where finished work is kept (`store.Store`) and who does it (`loop`, `work`)."""
