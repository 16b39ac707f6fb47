package dev.sluice.cache.explorer;

import static dev.sluice.cache.explorer.Protocol.ours;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cache.explorer.Protocol.Event;
import dev.sluice.cache.explorer.Protocol.Reads;
import dev.sluice.cache.explorer.Protocol.Rule;
import dev.sluice.cache.explorer.Protocol.Write;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Our protocol keeps its promises in every order of its steps, and every rule of it is needed:
 * without one, the explorer finds how a promise breaks. What it finds is printed;
 * docs/cache-consistency.md has the table.
 */
class ExplorerTest {
  private static final Write[] INVALIDATE = {Write.COMMIT, Write.INVALIDATE};
  private static final Write[] LOGGED = {
    Write.INTEND, Write.APPEND, Write.COMMIT, Write.INVALIDATE, Write.APPEND
  };

  private static final Set<Event> EXPIRY =
      EnumSet.of(Event.WARM, Event.VALUE_EXPIRES, Event.LEASE_EXPIRES, Event.INTENT_EXPIRES);

  /** What update has to stand. */
  private static final Set<Event> ALL = EnumSet.copyOf(EXPIRY);

  static {
    ALL.addAll(Set.of(Event.WRITER_DIES, Event.LOADER_DIES, Event.LOADER_FAILS));
  }

  private static final Set<Event> SHARED = EnumSet.copyOf(EXPIRY);

  static {
    SHARED.addAll(Set.of(Event.WRITER_DIES, Event.LOADER_FAILS));
  }

  @TestFactory
  Stream<DynamicTest> ourProtocolKeepsItsPromises() {
    Protocol update = ours();
    Protocol invalidate = ours().writes(INVALIDATE);
    Protocol near = ours().writes(LOGGED).rules(Rule.NEAR);
    Map<String, Protocol> sound = new LinkedHashMap<>();
    sound.put("update, empty cache, calm", update);
    sound.put("update, everything expires", update.when(EXPIRY));
    sound.put("update, everything expires, writers and loaders die", update.when(ALL));
    sound.put("update, and messages get lost", update.when(ALL).and(Event.MESSAGE_LOST));
    sound.put("update, and readers refresh", update.when(ALL).reads(Reads.REFRESHING));
    sound.put("update, readers of one process", update.when(SHARED).rules(Rule.SHARED));
    sound.put(
        "update, three readers, two of one process",
        update.crowd(3, 1).when(SHARED).rules(Rule.SHARED));
    sound.put("update, the store forgets", update.when(EXPIRY).and(Event.EVICTED));
    sound.put(
        "update, intents end before commits", update.when(EXPIRY).and(Event.INTENT_EXPIRES_EARLY));
    sound.put("update, late requests", update.when(ALL).and(Event.ASKED_LATE));
    sound.put(
        "update, its invalidation is lost, but its intent stands",
        update.writes(Write.INTEND, Write.COMMIT).when(ALL));
    sound.put("invalidate, everything expires", invalidate.when(EXPIRY));
    sound.put(
        "invalidate, loaders die, the store forgets",
        invalidate.when(EXPIRY).and(Event.LOADER_DIES).and(Event.EVICTED));
    sound.put("invalidate, readers of one process", invalidate.when(EXPIRY).rules(Rule.SHARED));
    sound.put("near tier, everything expires", near.crowd(2, 1).when(EXPIRY));
    sound.put("near tier, two writers", near.when(Event.WARM));
    sound.put("near tier, writers die", near.crowd(1, 2).when(Event.WARM, Event.WRITER_DIES));
    sound.put(
        "near tier, the log is too short", near.crowd(1, 2).when(Event.WARM, Event.LOG_TRIMMED));
    return sound.entrySet().stream()
        .map(
            entry ->
                DynamicTest.dynamicTest(
                    entry.getKey(),
                    () ->
                        assertThat(explored(entry.getKey(), entry.getValue()).broken()).isNull()));
  }

  @TestFactory
  Stream<DynamicTest> whatOthersDoIsBroken() {
    Protocol naive = ours().reads(Reads.NAIVE);
    return Stream.of(
        caught(
            "delete, then write (A2)", "done-read", naive.writes(Write.INVALIDATE, Write.COMMIT)),
        caught("write, then delete (A1)", "done-read", naive.writes(INVALIDATE)),
        caught(
            "delete, write, delete",
            "done-read",
            naive.writes(Write.INVALIDATE, Write.COMMIT, Write.INVALIDATE)),
        caught(
            "write, then update the cache (A3)",
            "done-read",
            naive.writes(Write.COMMIT, Write.PUT)),
        caught(
            "write through, then roll back (A8)",
            "rolled back",
            naive.writes(Write.PUT_EARLY, Write.ROLL_BACK)));
  }

  @TestFactory
  Stream<DynamicTest> everyRuleOfTheStoreIsNeeded() {
    Protocol update = ours().when(EXPIRY);
    Protocol invalidate = ours().writes(INVALIDATE).when(EXPIRY);
    Protocol dies = ours().when(ALL);
    return Stream.of(
        caught("fill without a lease", "done-read", update.cell(Cell.FillsWithoutLease::new)),
        caught(
            "fill under the lease of another (A12)",
            "permanent",
            dies.cell(Cell.FillsWithAnyLease::new)),
        caught(
            "fill when the guard has gone (A11)",
            "done-read",
            update.cell(Cell.FillsWhenGuardIsGone::new)),
        caught(
            "a lease that survives its end (A11)",
            "done-read",
            update.cell(Cell.LeaseOutlivesItsEnd::new)),
        caught(
            "no value, so no lease is killed",
            "done-read",
            invalidate.cell(Cell.InvalidatesValuesOnly::new)),
        caught(
            "an invalidation that wakes nobody",
            "liveness: a reader waits",
            invalidate.cell(Cell.InvalidatesInSilence::new)),
        caught(
            "an intent without an end",
            "liveness: all has expired",
            dies.cell(Cell.IntentWithoutEnd::new)),
        caught("one intent for all writers", "permanent", dies.cell(Cell.OneIntentForAll::new)),
        caught(
            "an intent that spares the lease", "permanent", dies.cell(Cell.IntentSparesLease::new)),
        caught(
            "an intent that spares the value", "permanent", dies.cell(Cell.IntentSparesValue::new)),
        caught("a lease despite an intent", "permanent", dies.cell(Cell.LeaseDespiteIntent::new)));
  }

  @TestFactory
  Stream<DynamicTest> everyRuleOfProcessesIsNeeded() {
    Protocol shared = ours().when(EXPIRY);
    Protocol crowd = ours().crowd(3, 2);
    return Stream.of(
        caught(
            "a load joined across an invalidation (A9)",
            "done-read",
            shared.rules(Rule.SHARED, Rule.JOINED_TAKE_REFUSED)),
        caught(
            "a load past the cache joined",
            "done-read",
            shared.rules(Rule.SHARED, Rule.JOINED_TAKE_BYPASS)),
        caught(
            "a load joined after its fill was sent",
            "done-read",
            shared.rules(Rule.SHARED, Rule.JOINED_AFTER_FILL)),
        caught(
            "a request joined that had been sent",
            "done-read",
            crowd.rules(Rule.SHARED, Rule.JOINED_TAKE_HIT)));
  }

  @TestFactory
  Stream<DynamicTest> everyRuleOfNearTiersIsNeeded() {
    Protocol near = ours().crowd(1, 2).writes(LOGGED).when(Event.WARM).rules(Rule.NEAR);
    Protocol trimmed = near.when(Event.WARM, Event.LOG_TRIMMED);
    return Stream.of(
        caught(
            "logged before it is invalidated",
            "done-read",
            near.writes(Write.COMMIT, Write.APPEND, Write.INVALIDATE)),
        caught(
            "logged before it is announced, and the writer dies",
            "permanent",
            near.writes(Write.APPEND, Write.INTEND, Write.COMMIT, Write.INVALIDATE, Write.APPEND)
                .when(Event.WARM, Event.WRITER_DIES)),
        caught(
            "logged at the end alone, and the writer dies",
            "permanent",
            near.writes(Write.INTEND, Write.COMMIT, Write.INVALIDATE, Write.APPEND)
                .when(Event.WARM, Event.WRITER_DIES)),
        caught(
            "copies that forget what was dropped while they were on their way (A10)",
            "done-read",
            near.rules(Rule.NEAR, Rule.NEAR_LOOKS_LATE)),
        caught(
            "copies dropped before the new place is made",
            "permanent",
            trimmed.rules(Rule.NEAR, Rule.NEAR_FLUSHES_EARLY)),
        caught(
            "a gap in the log overlooked",
            "done-read",
            trimmed.rules(Rule.NEAR, Rule.NEAR_IGNORES_GAP)));
  }

  /** These stay open, and docs/cache-consistency.md says so; if one closes, it is to be told. */
  @TestFactory
  Stream<DynamicTest> whatIsNotPromised() {
    return Stream.of(
        caught(
            "invalidate, and the writer dies before it (A4)",
            "permanent",
            ours().writes(INVALIDATE).when(Event.WARM, Event.WRITER_DIES)),
        caught(
            "update, the intent ends before the commit, and the writer dies after it",
            "permanent",
            ours().when(ALL).and(Event.INTENT_EXPIRES_EARLY)),
        caught(
            "update, the store forgets the intent, and the writer dies",
            "permanent",
            ours().when(ALL).and(Event.EVICTED)),
        caught(
            "update inside of a transaction that commits later (A7)",
            "done-read",
            ours().writes(Write.INTEND, Write.INVALIDATE, Write.COMMIT)),
        caught(
            "two writers put what they wrote (A3)",
            "done-read",
            ours().writes(Write.COMMIT, Write.PUT)),
        caught(
            "the network carries out the granted request once more",
            "done-read",
            ours().when(EXPIRY).and(Event.ASKED_TWICE)));
  }

  /** The explorer does not cry wolf: this breaks no promise, as every invalidation kills leases. */
  @TestFactory
  Stream<DynamicTest> harmless() {
    return Stream.of(
        DynamicTest.dynamicTest(
            "a lease that has ended, but that nothing killed",
            () ->
                assertThat(explored("old lease", ours().when(ALL).cell(Cell.LeaseWithoutEnd::new)))
                    .extracting(Explorer.Result::broken)
                    .isNull()));
  }

  private static DynamicTest caught(String name, String promise, Protocol protocol) {
    return DynamicTest.dynamicTest(
        name, () -> assertThat(explored(name, protocol).broken()).startsWith(promise));
  }

  private static Explorer.Result explored(String name, Protocol protocol) {
    Explorer.Result result = Explorer.explore(protocol);
    System.out.println(name + ": " + result);
    return result;
  }
}
