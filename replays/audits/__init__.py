"""Who did what: small pure functions from traces to findings with numbers of their own."""
