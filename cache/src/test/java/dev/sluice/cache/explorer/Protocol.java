package dev.sluice.cache.explorer;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The steps of readers and writers, the faults that may happen, and the deviations from the rules.
 *
 * @param readers how many
 * @param writers how many
 * @param cell what the store decides
 * @param writes the program of each writer
 * @param reads what readers do
 * @param events what may happen
 * @param rules what readers of one process share
 */
record Protocol(
    int readers,
    int writers,
    Supplier<Cell> cell,
    List<Write> writes,
    Reads reads,
    Set<Event> events,
    Set<Rule> rules) {

  /** A step of a writer. */
  enum Write {
    INTEND,
    COMMIT,
    INVALIDATE,
    /** Tells copies in other processes. */
    APPEND,
    /** Stores what was committed. */
    PUT,
    /** Stores what is to be committed. */
    PUT_EARLY,
    ROLL_BACK
  }

  /** The scheme of readers. */
  enum Reads {
    /** Read, ask for the lease, load, fill. */
    GUARDED,
    /** The same, but the second one refreshes. */
    REFRESHING,
    /** Read, load, store: nobody is asked. */
    NAIVE
  }

  /** The events from outside. */
  enum Event {
    /** The cache has version 0 at first; otherwise it is empty. */
    WARM,
    VALUE_EXPIRES,
    LEASE_EXPIRES,
    /** The intent of a writer that has died, or is past its commit. */
    INTENT_EXPIRES,
    /** The intent of a writer that lives and has not committed. */
    INTENT_EXPIRES_EARLY,
    WRITER_DIES,
    LOADER_DIES,
    LOADER_FAILS,
    /** The store forgets all about the key. */
    EVICTED,
    /** A message to a waiter does not arrive. */
    MESSAGE_LOST,
    /** An earlier request for the lease, under an attempt given up, arrives late. */
    ASKED_LATE,
    /** The request for the lease that was granted arrives once more, late. */
    ASKED_TWICE,
    /** The place of a near tier is not in the log any more. */
    LOG_TRIMMED
  }

  /** The rules of a process. All but the first two are deviations from those of Sluice. */
  enum Rule {
    /** The first two readers and the first writer are one process, and join loads by our rules. */
    SHARED,
    /** The first reader keeps copies, and reads twice. */
    NEAR,
    /** Those who joined take the value of a fill that was refused. */
    JOINED_TAKE_REFUSED,
    /** Those who joined take a value that was loaded past the cache. */
    JOINED_TAKE_BYPASS,
    /** Those who joined take the hit that the leader found when it asked for the lease. */
    JOINED_TAKE_HIT,
    /** A load may be joined until the answer to its fill is there. */
    JOINED_AFTER_FILL,
    /** A copy is kept unless it was dropped since the answer came, not since it was asked for. */
    NEAR_LOOKS_LATE,
    /** Copies are given up before the new place in the log is made, not after it. */
    NEAR_FLUSHES_EARLY,
    /** A page that begins too late is taken for a whole one. */
    NEAR_IGNORES_GAP
  }

  /** Ours, in calm weather, each reader in a process of its own. */
  static Protocol ours() {
    return new Protocol(
        2,
        2,
        Cell::new,
        List.of(Write.INTEND, Write.COMMIT, Write.INVALIDATE),
        Reads.GUARDED,
        Set.of(),
        Set.of());
  }

  Protocol crowd(int moreReaders, int moreWriters) {
    return new Protocol(moreReaders, moreWriters, cell, writes, reads, events, rules);
  }

  Protocol cell(Supplier<Cell> other) {
    return new Protocol(readers, writers, other, writes, reads, events, rules);
  }

  Protocol writes(Write... steps) {
    return new Protocol(readers, writers, cell, List.of(steps), reads, events, rules);
  }

  Protocol reads(Reads other) {
    return new Protocol(readers, writers, cell, writes, other, events, rules);
  }

  Protocol when(Set<Event> happen) {
    return new Protocol(readers, writers, cell, writes, reads, happen, rules);
  }

  Protocol when(Event first, Event... more) {
    return when(EnumSet.of(first, more));
  }

  Protocol and(Event event) {
    EnumSet<Event> more = EnumSet.of(event);
    more.addAll(events);
    return when(more);
  }

  Protocol rules(Rule... hold) {
    return new Protocol(readers, writers, cell, writes, reads, events, Set.of(hold));
  }

  boolean may(Event event) {
    return events.contains(event);
  }

  boolean is(Rule rule) {
    return rules.contains(rule);
  }

  /** {@return the process of a reader} */
  String readerClient(int reader) {
    return is(Rule.SHARED) && reader < 2 ? "p" : "r" + reader;
  }

  /** {@return the process of a writer} */
  String writerClient(int writer) {
    return is(Rule.SHARED) && writer == 0 ? "p" : "w" + writer;
  }
}
