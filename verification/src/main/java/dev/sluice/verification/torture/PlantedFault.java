package dev.sluice.verification.torture;

import dev.sluice.internal.lock.LeaseRules;
import dev.sluice.spi.GrantBackend;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A fault of our own making, to prove that a run would find it. Scripts are changed on their way to
 * the server, in the proxy; where there are none, something stands between the core and the store
 * in the client processes, and the arithmetic of leases is replaced there. Nothing of this can be
 * reached from the library.
 */
public enum PlantedFault {
  /** The code as it is. */
  NONE,

  /** Tokens count up from the last one, wherever the clock stands. */
  COUNTER_WITHOUT_CLOCK(edit("math.max(fence + 1, now)", "fence + 1")),

  /** A node of a quorum takes every token that is proposed, lower ones included. */
  TOKEN_WITHOUT_MAJORITY(edit("if effective() < token then", "if true then")),

  /** Each process counts the tokens of its grants. */
  TOKEN_OF_THE_PROCESS(PlantedLocks::countsTokens),

  /** A release frees the lock of any holder. */
  RELEASE_WITHOUT_OWNER(
      PlantedLocks::releasesAnyHolder, release("if true then"), releaseOfVote("if holder then")),

  /** A release compares the client and not the attempt. */
  RELEASE_BY_CLIENT(
      release("if mine.client == client then"),
      releaseOfVote("if holder and holder.client == client then")),

  /** A renewal takes a lock that has no holder any more. */
  RENEWAL_RECREATES(
      PlantedLocks::renewalRecreates,
      edit(
          "local mine = find(ARGV[1], tonumber(ARGV[2]))\nif mine then",
          "local mine = find(ARGV[1], tonumber(ARGV[2]))\n"
              + "if not mine and #grants == 0 then\n"
              + "  fence = math.max(fence + 1, now)\n"
              + "  mine = { client = ARGV[1], attempt = tonumber(ARGV[2]), token = fence, block = 1, units = 1,\n"
              + "    expires = now + ttl, ttl = ttl, since = now, state = 'H' }\n"
              + "  grants[1] = mine\n"
              + "end\n"
              + "if mine then")),

  /** A lease counts from the moment of the answer. */
  DEADLINE_FROM_REPLY(FaultyRules.deadlineFromTheReply()),

  /** A lease ends with the store's entry, to the nanosecond. */
  NO_MARGIN(FaultyRules.noMargin()),

  /** A renewal counts whenever its answer comes. */
  RENEWAL_AFTER_DEADLINE(FaultyRules.renewalCountsAfterTheDeadline());

  /**
   * A change of a script.
   *
   * @param was a piece of it
   * @param becomes what stands there instead
   */
  record Edit(String was, String becomes) {}

  private static Edit edit(String was, String becomes) {
    return new Edit(was, becomes);
  }

  private static Edit release(String becomes) {
    return edit(
        "if mine.client == client and (mine.attempt == attempt or (IS_LOCK and mine.attempt <"
            + " attempt)) then",
        becomes);
  }

  private static Edit releaseOfVote(String becomes) {
    return edit(
        "if holder and holder.client == client and holder.attempt <= attempt then", becomes);
  }

  private final List<Edit> edits;
  private final transient UnaryOperator<GrantBackend> client;
  private final transient @Nullable LeaseRules rules;

  PlantedFault(Edit... edits) {
    this(UnaryOperator.identity(), edits);
  }

  PlantedFault(UnaryOperator<GrantBackend> client, Edit... edits) {
    this.edits = List.of(edits);
    this.client = client;
    this.rules = null;
  }

  PlantedFault(LeaseRules rules) {
    this.edits = List.of();
    this.client = UnaryOperator.identity();
    this.rules = rules;
  }

  /**
   * Puts the fault between a client and its store, unless scripts carry it to this one.
   *
   * @param uri the store
   * @param locks its verbs
   * @return what the client is to use
   */
  GrantBackend plant(String uri, GrantBackend locks) {
    return changesScripts() && uri.startsWith("redis") ? locks : client.apply(locks);
  }

  /** {@return the arithmetic of the clients, or null for that of the library} */
  @Nullable LeaseRules rules() {
    return rules;
  }

  /** {@return whether it changes scripts} */
  boolean changesScripts() {
    return !edits.isEmpty();
  }

  String change(String script) {
    String changed = script;
    for (Edit edit : edits) {
      changed = changed.replace(edit.was, edit.becomes);
    }
    return changed;
  }

  /** {@return the word for it on the command line} */
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static PlantedFault of(String word) {
    return Stream.of(values())
        .filter(plant -> plant.word().equals(word))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no such fault: " + word + "; there are " + String.join(", ", words())));
  }

  static List<String> words() {
    return Stream.of(values()).skip(1).map(PlantedFault::word).toList();
  }
}
