"""The ground floor: time, messages, menus and the scheduler; knows no game, no model, no learner."""
