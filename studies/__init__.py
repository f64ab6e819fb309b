"""One module per published table or figure: system -> predictions -> metric -> table and plot."""
