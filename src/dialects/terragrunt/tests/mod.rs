//! Projects in memory, resolved.
