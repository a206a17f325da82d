"""What is played: rules, options and words of each game, and the table of games."""
