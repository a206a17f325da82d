"""How agents improve: burn-in, guards, cohorts and adapters."""
