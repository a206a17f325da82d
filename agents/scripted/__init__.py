"""Hand-written partners, one file each."""
