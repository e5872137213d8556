//! Projects in memory.
