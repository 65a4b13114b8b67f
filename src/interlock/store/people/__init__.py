"""Who answers, with which key, and what was asked."""
