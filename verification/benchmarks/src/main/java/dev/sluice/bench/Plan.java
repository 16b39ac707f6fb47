package dev.sluice.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** The division of the time of {@code bench all} among the chapters. */
final class Plan {
  /*
   * Minutes of each chapter on two cores, when all take thirty, or five with --quick. They are
   * shares: of another time each has as much of it. What a chapter cannot do with less (starting
   * servers and JVMs, waiting for leases to end, three rounds) it does all the same. With --quick a
   * chapter has its most telling workloads only, those of few processes.
   */
  private static final List<Turn> TURNS =
      List.of(
          new Turn("in-process", 2.2, 0.5, "lock", "near"),
          new Turn("locks", 5.5, 0.6, "uncontended-16", "hot-16"),
          new Turn("quorum", 1.2, 0.3, "quorum-16"),
          new Turn("limits", 4.6, 0.6, "hot-16", "leasing"),
          new Turn("bloom", 2.6, 0.3, "check-16", "add-16"),
          new Turn("cache", 3.5, 0.5, "near-1", "store-16"),
          new Turn("family", 3.0, 0.4, "semaphore-16", "multi-lock-16"),
          new Turn("inventory", 0.9, 0.2, "claim-16", "sold-out"),
          new Turn("engines", 4.6, 0.6, "zookeeper-16", "postgresql-16"),
          new Turn("flash-sale", 4.2, 1.5));

  /** What --quick asks of the flash sale, which has no workloads to choose from. */
  private static final List<String> SMALL_SALE =
      List.of("--quick", "--concurrency", "500", "--requests", "2000");

  /** Chapters with a separate document and separate hours. */
  static final Set<String> ALONE = Set.of("scale", "console");

  private Plan() {}

  private record Turn(String chapter, double full, double brief, List<String> telling) {
    Turn(String chapter, double full, double brief, String... telling) {
      this(chapter, full, brief, List.of(telling));
    }

    double minutes(boolean quick) {
      return quick ? brief : full;
    }
  }

  /**
   * A chapter and its options.
   *
   * @param words name of the command and its options
   * @param minutes its share
   */
  record Part(String chapter, List<String> words, double minutes) {}

  /** {@return names of all chapters, in their order} */
  static List<String> chapters() {
    return TURNS.stream().map(Turn::chapter).toList();
  }

  /** {@return how long all take} */
  static double minutes(boolean quick) {
    return quick ? 5 : 30;
  }

  /**
   * Divides the time.
   *
   * @param chapters the ones to run
   * @param minutes that all of the plan would take
   */
  static List<Part> of(boolean quick, double minutes, List<String> chapters) {
    double sum = TURNS.stream().mapToDouble(turn -> turn.minutes(quick)).sum();
    List<Part> parts = new ArrayList<>();
    for (Turn turn : TURNS) {
      if (chapters.contains(turn.chapter())) {
        double share = turn.minutes(quick) * minutes / sum;
        parts.add(new Part(turn.chapter(), words(turn, quick, share), share));
      }
    }
    return parts;
  }

  private static List<String> words(Turn turn, boolean quick, double share) {
    List<String> words = new ArrayList<>(List.of(turn.chapter()));
    if (turn.chapter().equals("flash-sale")) {
      words.addAll(quick ? SMALL_SALE : List.of("--quick"));
      return words;
    }
    if (quick) {
      words.add("--quick");
      turn.telling().forEach(id -> words.addAll(List.of("--only", id)));
    }
    words.addAll(List.of("--minutes", String.format(Locale.ROOT, "%.2f", share)));
    return words;
  }
}
