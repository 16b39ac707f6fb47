package dev.sluice.lock;

/**
 * The grant that a forced release ended.
 *
 * @param holder whose grant it was, as the store saw it
 * @param fence a token above every one that the ended grant could use, and below that of the next
 *     grant. A guard that is raised to it refuses the old holder from that moment, even if the lock
 *     stays free for a while
 * @since 0.1
 */
public record ForcedRelease(LockInfo.Holder holder, long fence) {}
