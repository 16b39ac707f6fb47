package dev.sluice.cache.explorer;

import java.util.Arrays;

/** Everything that the explored protocols know at one moment. Equal worlds have equal futures. */
final class ExploredState {

  /** The position of a reader. */
  enum Stage {
    IDLE,
    READ,
    ASK,
    /** The answer with a value is on its way. */
    GOT_HIT,
    BLOCKED,
    JOINED,
    LOAD,
    FILL,
    FILLED,
    REFUSED,
    BYPASS,
    BYPASSED,
    DONE,
    DEAD
  }

  /**
   * A reader.
   *
   * @param floor greatest version whose write was over when it began
   * @param value what it has in hands; -1 for nothing
   * @param woken whether a message came
   * @param again whether what may happen once has happened: a late request, a second refresh
   * @param clean whether nothing was dropped from the near tier since it asked the store
   * @param left how many reads are to follow
   */
  record Reader(
      Stage stage, int floor, int value, boolean woken, boolean again, boolean clean, int left) {
    static Reader idle(int left) {
      return new Reader(Stage.IDLE, 0, -1, false, false, false, left);
    }

    Reader begun(Stage first, int done) {
      return new Reader(first, done, -1, false, false, true, left);
    }

    Reader at(Stage next) {
      return new Reader(next, floor, value, woken, again, clean, left);
    }

    Reader with(int version) {
      return new Reader(stage, floor, version, woken, again, clean, left);
    }

    Reader woken(boolean now) {
      return new Reader(stage, floor, value, now, again, clean, left);
    }

    Reader again(boolean now) {
      return new Reader(stage, floor, value, woken, now, clean, left);
    }

    Reader clean(boolean now) {
      return new Reader(stage, floor, value, woken, again, now, left);
    }

    Reader over() {
      return left == 0 ? idle(0).at(Stage.DONE) : idle(left - 1);
    }
  }

  /**
   * A writer.
   *
   * @param at its next step
   * @param version what it committed; 0 for nothing yet
   */
  record Writer(int at, int version, boolean dead) {}

  /**
   * Copies in the process of the first reader.
   *
   * @param copy version; -1 for none
   * @param place how much of the log it has read; -1: its place is lost
   * @param floor greatest version whose write was over when the log was read last
   * @param answer what the poll under way was told: the end of the log; -1 for no poll
   * @param answerFloor greatest version whose write was over then
   * @param begins whether that poll makes a new place
   */
  record Near(int copy, int place, int floor, int answer, int answerFloor, boolean begins) {
    static final Near EMPTY = new Near(-1, 0, 0, -1, 0, false);

    Near copy(int version) {
      return new Near(version, place, floor, answer, answerFloor, begins);
    }

    Near told(int end, int done, boolean begun) {
      return new Near(copy, place, floor, end, done, begun);
    }

    Near read() {
      return new Near(copy, answer, answerFloor, -1, 0, false);
    }

    Near lost() {
      return new Near(copy, -1, floor, answer, answerFloor, begins);
    }
  }

  Cell.Shot cache = Cell.Shot.EMPTY;
  int committed;
  int done;

  /** The reader whose load others of its process may join; -1 for none. */
  int leader = -1;

  /** How long the log is. */
  int log;

  Near near = Near.EMPTY;

  final Reader[] readers;
  final Writer[] writers;

  ExploredState(int readers, int writers) {
    this.readers = new Reader[readers];
    this.writers = new Writer[writers];
    Arrays.fill(this.readers, Reader.idle(0));
    Arrays.fill(this.writers, new Writer(0, 0, false));
  }

  private ExploredState(ExploredState other) {
    cache = other.cache;
    committed = other.committed;
    done = other.done;
    leader = other.leader;
    log = other.log;
    near = other.near;
    readers = other.readers.clone();
    writers = other.writers.clone();
  }

  ExploredState copy() {
    return new ExploredState(this);
  }

  /** Nothing is to be kept any more of what was read from the store before. */
  void dropCopies() {
    near = near.copy(-1);
    readers[0] = readers[0].clean(false);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ExploredState that
        && committed == that.committed
        && done == that.done
        && leader == that.leader
        && log == that.log
        && near.equals(that.near)
        && cache.equals(that.cache)
        && Arrays.equals(readers, that.readers)
        && Arrays.equals(writers, that.writers);
  }

  @Override
  public int hashCode() {
    int hash = ((committed * 31 + done) * 31 + leader) * 31 + log;
    hash = (hash * 31 + near.hashCode()) * 31 + cache.hashCode();
    hash = hash * 31 + Arrays.hashCode(readers);
    return hash * 31 + Arrays.hashCode(writers);
  }
}
