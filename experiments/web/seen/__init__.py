"""What a viewer of a table may see: functions of what it knows alone."""
