package dev.sluice.guard;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Sections that add one to a register, step by step in a given order. Nothing keeps them apart: a
 * lease may end at any moment without its holder's knowledge, so the next section may be granted
 * the lock between any two steps. Tokens grow in the order of grants.
 */
final class Schedule {
  /** The way in which a section accesses the register. */
  enum Access {
    /** Read and write go through the guard. */
    GUARDED,
    /** Only the write does: the planted fault. */
    GUARDED_WRITE_ONLY,
    /** Neither does. */
    BARE
  }

  private final Access habit;
  private final MemoryGuard guard = MemoryGuard.create();
  private final List<Long> writers = new ArrayList<>();
  private long tokens;
  private long register;
  private int written;

  Schedule(Access habit) {
    this.habit = habit;
  }

  /** The result of a schedule. */
  record Outcome(long register, int written, List<Long> writers) {
    boolean lostAnUpdate() {
      return register != written;
    }

    boolean wentBack() {
      for (int i = 1; i < writers.size(); i++) {
        if (writers.get(i) < writers.get(i - 1)) {
          return true;
        }
      }
      return false;
    }
  }

  /**
   * Runs one order.
   *
   * @param order whose step comes next; each section has three steps: grant, read, write
   */
  static Outcome run(Access habit, int... order) {
    Schedule schedule = new Schedule(habit);
    Section[] sections = new Section[order.length];
    for (int who : order) {
      if (sections[who] == null) {
        sections[who] = schedule.new Section(who);
      }
      sections[who].step();
    }
    return new Outcome(schedule.register, schedule.written, schedule.writers);
  }

  private final class Section {
    private final String attempt;
    private int steps;
    private FencingToken token;
    private long seen;
    private boolean over;

    Section(int who) {
      this.attempt = "section." + who;
    }

    void step() {
      switch (steps++) {
        case 0 -> token = new FencingToken(++tokens, attempt);
        case 1 -> seen = read(() -> register);
        default -> write(value -> register = value);
      }
    }

    private long read(LongSupplier source) {
      if (habit != Access.GUARDED) {
        return source.getAsLong();
      }
      try {
        return guard.access("register", token, source::getAsLong);
      } catch (StaleTokenException e) {
        over = true;
        return -1;
      }
    }

    private void write(LongConsumer target) {
      if (over) {
        return;
      }
      Consumer<Long> put =
          value -> {
            target.accept(value);
            written++;
            writers.add(token.value());
          };
      if (habit == Access.BARE) {
        put.accept(seen + 1);
        return;
      }
      try {
        guard.access(
            "register",
            token,
            () -> {
              put.accept(seen + 1);
              return true;
            });
      } catch (StaleTokenException e) {
        over = true;
      }
    }
  }
}
