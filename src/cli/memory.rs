//! How the process uses memory.

/// Disables huge pages on Linux. The allocator requests them, but a short run touches only a part of each: that takes a
/// third more memory if a change affects one stack, and saves nothing measurable.
pub(super) fn use_small_pages() {
    #[cfg(target_os = "linux")]
    // Where the kernel refuses, the process takes more memory.
    let _ = rustix::thread::disable_transparent_huge_pages(true);
}
