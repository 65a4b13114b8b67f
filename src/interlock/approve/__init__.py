"""What a person permits: grants made ahead, and approvals of one exact call. Pure."""
