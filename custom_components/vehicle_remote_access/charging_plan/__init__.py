"""When to charge, and what each hour costs."""
