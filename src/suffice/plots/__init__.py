"""Pictures made of plain numbers: each Display holds what it shows and draws itself on an axes."""
