"""One spelling for values, what is hidden in them, and signatures. Pure."""
