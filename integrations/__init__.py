"""What other tools load: tasks for their runners, scored by our metrics."""
