"""The commands of the front door, one file each."""
