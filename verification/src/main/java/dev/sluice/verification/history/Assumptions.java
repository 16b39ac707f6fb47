package dev.sluice.verification.history;

/**
 * The assumptions under which a run is judged.
 *
 * @param clocksBehave no entry of the store can end early: no forward step of its clock, no lost
 *     data, clock rates within the margin. Exclusion is promised only then
 * @param requestsAreOnTime no request arrives after the store forgot that its attempt was over
 * @param toldWithinNanos how late a listener may be called, pauses apart
 * @param longestLeaseNanos no lease is asked for longer; an entry that shows more time left was
 *     stranded by a backward step of the clock, and the next request cuts it
 * @param servedWithinNanos how long after the last fault a waiter may still wait
 * @param everythingSeen whether the history has each decision of the store, each answer and each
 *     change of a deadline. Real processes are observed from outside: there, a renewal may be
 *     missed
 */
public record Assumptions(
    boolean clocksBehave,
    boolean requestsAreOnTime,
    long toldWithinNanos,
    long longestLeaseNanos,
    long servedWithinNanos,
    boolean everythingSeen) {}
