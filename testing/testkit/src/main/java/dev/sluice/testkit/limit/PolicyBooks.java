package dev.sluice.testkit.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.BackendException;
import dev.sluice.ForeignDataException;
import dev.sluice.Sluice;
import dev.sluice.limit.CarryOver;
import dev.sluice.limit.Limit;
import dev.sluice.limit.PolicyBook;
import dev.sluice.limit.PolicyEntry;
import dev.sluice.limit.RateLimiter;
import dev.sluice.limit.RateLimiterOptions;
import dev.sluice.spi.Backend;
import dev.sluice.spi.GrantBackend;
import dev.sluice.spi.LimitBackend;
import dev.sluice.spi.NoteBackend;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Tests of policies in the store: writing, following, and unreadable entries.
 *
 * @since 0.1
 */
public interface PolicyBooks extends LimitContract {
  String BOARD = "policies";
  Limit TEN = Limit.tokenBucket(10, LONG);
  Limit TWENTY = Limit.fixedWindow(20, LONG).name("window");
  Duration SOON = Duration.ofSeconds(2);

  private PolicyBook book() {
    return kept(PolicyBook.class, () -> client().policyBook());
  }

  private PolicyEntry set(Limit... limits) {
    return book().set(NAME, RateLimiterOptions.of(limits), "ops", "test");
  }

  private void write(String limiter, String text) {
    assertThat(ended(connect().notes().replace(BOARD, limiter, null, text))).isTrue();
  }

  private void untilItHas(RateLimiter limiter, Limit... limits) {
    within(
        "the limiter has " + List.of(limits),
        SOON,
        () -> limiter.options().limits().equals(List.of(limits)));
  }

  @Test
  default void entryIsReadByAnotherProcessWithItsHistory() {
    assertThat(book().find(NAME)).isEmpty();
    assertThat(book().history(NAME)).isEmpty();
    PolicyEntry first =
        book().set(NAME, RateLimiterOptions.of(TEN, TWENTY), "ops \\ 运维\n", "line\r\nline");
    PolicyEntry second =
        book()
            .set(
                NAME,
                RateLimiterOptions.of(TWENTY)
                    .override("partner\n{7} key", TEN, TWENTY)
                    .plan("pro\n", TWENTY)
                    .plan("key", TEN),
                "ops",
                "");
    book().set("b", RateLimiterOptions.of(TEN).version(40, CarryOver.KEEP), "ops", "");
    assertThat(first.version()).isEqualTo(1);
    assertThat(second.version()).isEqualTo(2);

    PolicyBook other = watcher().policyBook();
    assertThat(other.history(NAME)).usingRecursiveComparison().isEqualTo(inMillis(second, first));
    assertThat(other.find(NAME).orElseThrow().overrides())
        .isEqualTo(Map.of("partner\n{7} key", List.of(TEN, TWENTY)));
    assertThat(other.find(NAME).orElseThrow().plans())
        .isEqualTo(Map.of("pro\n", List.of(TWENTY), "key", List.of(TEN)));
    assertThat(other.all()).extracting(PolicyEntry::limiter).containsExactly("b", NAME);
    assertThat(other.find("b").orElseThrow().version()).isEqualTo(40);
  }

  /** The book keeps milliseconds. */
  private List<PolicyEntry> inMillis(PolicyEntry... entries) {
    return List.of(entries).stream()
        .map(
            each ->
                new PolicyEntry(
                    each.limiter(),
                    each.version(),
                    each.limits(),
                    each.overrides(),
                    each.plans(),
                    each.author(),
                    each.reason(),
                    Instant.ofEpochMilli(each.writtenAt().toEpochMilli())))
        .toList();
  }

  @Test
  default void processThatFollowsTakesOverAChange() {
    set(TEN);
    Sluice client = client();
    RateLimiter made = client.rateLimiter(NAME, patient(TWENTY).override("code", TEN));
    RateLimiter another = client.rateLimiter("another", patient(TWENTY));
    client.policyBook().follow();
    untilItHas(made, TEN);
    assertThat(made.options().version()).isEqualTo(1);
    assertThat(made.options().deadline()).as("its own").isEqualTo(PATIENT);

    book().set(NAME, RateLimiterOptions.of(TWENTY, TEN).override("vip", TWENTY), "ops", "");
    untilItHas(made, TWENTY, TEN);
    assertThat(made.options().overrides())
        .isEqualTo(Map.of("code", List.of(TEN), "vip", List.of(TWENTY)));
    RateLimiter later = client.rateLimiter(NAME, patient(TEN));
    untilItHas(later, TWENTY, TEN);
    assertThat(another.options()).isEqualTo(patient(TWENTY));
  }

  @Test
  default void planHasTheLimitsOfTheBook() {
    Sluice client = client();
    RateLimiterOptions settings = patient(TEN).plan("plus", TEN).planOf(key -> key);
    RateLimiter limiter = client.rateLimiter(NAME, settings);
    RateLimiter without = client.rateLimiter("without", patient(TEN));
    RateLimiter after = client.rateLimiter("after", patient(TEN));
    assertThat(limiter.limitsOf("pro")).as("no such plan yet").containsExactly(TEN);
    for (String name : List.of(NAME, "without")) {
      book().set(name, RateLimiterOptions.of(TEN).plan("pro", TWENTY), "ops", "");
    }
    book().set("after", RateLimiterOptions.of(TWENTY), "ops", "");
    client.policyBook().follow();
    untilItHas(after, TWENTY);
    within("the plan is in force", SOON, () -> limiter.limitsOf("pro").equals(List.of(TWENTY)));
    assertThat(limiter.tryAcquire("pro").limit()).isEqualTo(20);
    assertThat(limiter.options().plans())
        .isEqualTo(Map.of("plus", List.of(TEN), "pro", List.of(TWENTY)));
    assertThat(without.options()).as("has no function for plans").isEqualTo(patient(TEN));
  }

  @Test
  default void keyAndPlanThatTheBookDropsHaveTheirSettingsAgain() {
    Sluice client = client();
    RateLimiterOptions settings =
        patient(TEN).override("code", TEN).plan("pro", TEN).planOf(key -> null);
    RateLimiter limiter = client.rateLimiter(NAME, settings);
    RateLimiterOptions more =
        RateLimiterOptions.of(TWENTY)
            .override("code", TWENTY)
            .override("vip", TWENTY)
            .plan("pro", TWENTY)
            .plan("plus", TWENTY);
    book().set(NAME, more, "ops", "");
    client.policyBook().follow();
    untilItHas(limiter, TWENTY);
    assertThat(limiter.options().overrides()).isEqualTo(more.overrides());
    assertThat(limiter.options().plans()).isEqualTo(more.plans());
    set(TEN, TWENTY);
    untilItHas(limiter, TEN, TWENTY);
    assertThat(limiter.options().overrides()).isEqualTo(settings.overrides());
    assertThat(limiter.options().plans()).isEqualTo(settings.plans());
  }

  @Test
  default void newerOfBookAndSettingsWins() {
    Sluice client = client();
    RateLimiter limiter = client.rateLimiter(NAME, patient(TEN).version(5, CarryOver.KEEP));
    set(TWENTY);
    book().set("after", RateLimiterOptions.of(TWENTY), "ops", "");
    RateLimiter after = client.rateLimiter("after", patient(TEN));
    client.policyBook().follow();
    untilItHas(after, TWENTY);
    assertThat(limiter.options().limits()).as("version 1 of the book").containsExactly(TEN);
    assertThat(client.policyBook().set(NAME, patient(TWENTY), "ops", "").version())
        .as("above the settings of the writer")
        .isEqualTo(6);
    untilItHas(limiter, TWENTY);
  }

  @Test
  default void processThatWasAwayKeepsTheLastPolicyAndCatchesUp() {
    set(TEN);
    AtomicBoolean away = new AtomicBoolean();
    Sluice client = client(new NotesAway(connect(), away));
    RateLimiter limiter = client.rateLimiter(NAME, patient(TWENTY));
    client.policyBook().follow();
    untilItHas(limiter, TEN);
    away.set(true);
    set(TEN, TWENTY);
    set(TWENTY);
    store().pass(SOON);
    assertThat(limiter.options().limits()).as("the last known").containsExactly(TEN);
    away.set(false);
    untilItHas(limiter, TWENTY);
    assertThat(limiter.options().version()).isEqualTo(3);
  }

  @Test
  default void processThatStartsWithoutTheBookHasItsSettingsAndCatchesUp() {
    set(TEN);
    AtomicBoolean away = new AtomicBoolean(true);
    Sluice client = client(new NotesAway(connect(), away));
    RateLimiter limiter = client.rateLimiter(NAME, patient(TWENTY));
    client.policyBook().follow();
    store().pass(SOON);
    assertThat(limiter.options().limits()).as("its settings").containsExactly(TWENTY);
    assertThat(limiter.tryAcquire(KEY).limit()).isEqualTo(20);
    away.set(false);
    untilItHas(limiter, TEN);
  }

  @Test
  default void ofTwoWritersBothWrite() throws Exception {
    List<Running<List<Integer>>> writers =
        IntStream.range(0, 2)
            .mapToObj(
                i -> {
                  PolicyBook own = client().policyBook();
                  return start(
                      () ->
                          IntStream.range(0, 8)
                              .mapToObj(
                                  n ->
                                      own.set(NAME, RateLimiterOptions.of(TEN), "writer " + i, "")
                                          .version())
                              .toList());
                })
            .toList();
    List<Integer> versions = new ArrayList<>();
    for (Running<List<Integer>> writer : writers) {
      versions.addAll(writer.result());
    }
    assertThat(versions)
        .containsExactlyInAnyOrderElementsOf(IntStream.rangeClosed(1, 16).boxed().toList());
    assertThat(book().history(NAME))
        .extracting(PolicyEntry::version)
        .containsExactlyElementsOf(IntStream.rangeClosed(1, 16).map(i -> 17 - i).boxed().toList());
  }

  @Test
  default void bookThatIsNewerThanTheProgramIsRefusedAndLeftAlone() {
    String newer = "sluice-policy 2\nwhat only a newer version knows\n";
    write(NAME, newer);
    List<ThrowingCallable> calls =
        List.of(
            () -> book().find(NAME),
            () -> book().all(),
            () -> set(TEN),
            () -> book().revert(NAME, 1, "ops", ""));
    for (ThrowingCallable call : calls) {
      assertThatThrownBy(call)
          .isInstanceOf(ForeignDataException.class)
          .hasMessageContaining("holds form 2, and this version reads 1");
    }
    assertThat(ended(connect().notes().all(BOARD))).isEqualTo(Map.of(NAME, newer));
  }

  @Test
  default void entryThatBecomesUnreadableLeavesTheLastPolicy() {
    set(TEN);
    Sluice client = client();
    RateLimiter limiter = client.rateLimiter(NAME, patient(TWENTY));
    RateLimiter after = client.rateLimiter("after", patient(TEN));
    client.policyBook().follow();
    untilItHas(limiter, TEN);
    NoteBackend notes = connect().notes();
    String text = ended(notes.all(BOARD)).get(NAME);
    assertThat(ended(notes.replace(BOARD, NAME, text, "nonsense"))).isTrue();
    book().set("after", RateLimiterOptions.of(TWENTY), "ops", "");
    untilItHas(after, TWENTY);
    assertThat(limiter.options().limits()).containsExactly(TEN);
    untilItHas(client.rateLimiter(NAME, patient(TWENTY, TEN)), TEN);
  }

  @Test
  default void hostileTextChangesNothingAndHidesNoOther() {
    List<String> hostile =
        List.of(
            "",
            "sluice-policy x",
            "sluice-policy 1",
            "sluice-policy 1\nlimit " + TEN,
            "sluice-policy 1\nversion 9",
            "sluice-policy 1\nversion 70000\nlimit " + TEN,
            "sluice-policy 1\nversion 9\nlimit token-bucket 1/1s burst 99999999999999999999",
            "sluice-policy 1\nversion 9\nlimit " + TEN + "\nnew thing",
            "sluice-policy 1\nversion 9\nkey \nlimit " + TEN.shared() + "\nlimit " + TWENTY,
            "sluice-policy 1\nversion 9\nlimit " + TEN + "\nplan pro\nlimit " + TEN.shared(),
            "sluice-policy 1\nversion 9\nlimit " + TEN + "\nplan pro",
            "sluice-policy 1\nversion 9\nat 99999999999999999999\nlimit " + TEN,
            "sluice-policy 1\nversion 9\\nINFO paid\nlimit " + TEN,
            "sluice-policy 1\nversion 9\nat 1\\r\\nINFO paid\nlimit " + TEN,
            "sluice-policy 1\nversion 9\nINFO\u2028\u202epaid x\nlimit " + TEN);
    for (int i = 0; i < hostile.size(); i++) {
      write("hostile " + i, hostile.get(i));
    }
    set(TEN);
    Sluice client = client();
    List<RateLimiter> limiters =
        IntStream.range(0, hostile.size())
            .mapToObj(i -> client.rateLimiter("hostile " + i, patient(TWENTY)))
            .toList();
    RateLimiter limiter = client.rateLimiter(NAME, patient(TWENTY));
    client.policyBook().follow();
    untilItHas(limiter, TEN);
    for (int i = 0; i < hostile.size(); i++) {
      String name = "hostile " + i;
      assertThat(limiters.get(i).options()).as(hostile.get(i)).isEqualTo(patient(TWENTY));
      assertThatThrownBy(() -> book().find(name))
          .as(hostile.get(i))
          .isInstanceOf(ForeignDataException.class)
          .hasMessageContaining("the policy of limiter '" + name + "' in the policy book holds")
          .message()
          .as("it can't forge a line of a log")
          .doesNotContainPattern("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]");
    }
  }

  @Test
  default void entryThatDoesNotFitTheSettingsIsNotApplied() {
    Sluice client = client();
    Limit shared = Limit.tokenBucket(100, LONG).name("all").shared();
    RateLimiterOptions settings = patient(shared, TEN).override("code", shared, TWENTY);
    RateLimiter limiter = client.rateLimiter(NAME, settings);
    RateLimiter after = client.rateLimiter("after", patient(TEN));
    set(TWENTY); // without the shared tier that the override of the code has
    book().set("after", RateLimiterOptions.of(TWENTY), "ops", "");
    client.policyBook().follow();
    untilItHas(after, TWENTY);
    assertThat(limiter.options()).isEqualTo(settings);
  }

  @Test
  default void revertWritesAnEarlierVersionAgain() {
    book()
        .set(
            NAME,
            RateLimiterOptions.of(TEN).override("vip", TWENTY).plan("pro", TWENTY),
            "ops",
            "");
    set(TWENTY);
    PolicyEntry reverted = book().revert(NAME, 1, "boss", "too much");
    assertThat(reverted.version()).isEqualTo(3);
    assertThat(reverted.limits()).containsExactly(TEN);
    assertThat(reverted.overrides()).isEqualTo(Map.of("vip", List.of(TWENTY)));
    assertThat(reverted.plans()).isEqualTo(Map.of("pro", List.of(TWENTY)));
    assertThat(book().find(NAME).orElseThrow().author()).isEqualTo("boss");
    assertThatThrownBy(() -> book().revert("other", 1, "boss", ""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the policy book has no entry of limiter 'other'");
    assertThatThrownBy(() -> book().revert(NAME, 4, "boss", ""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "version must be one that the book has of limiter '" + NAME + "', [3, 2, 1]: 4");
  }

  @Test
  default void historyIsBoundedAndTheNewestIsKept() {
    RateLimiterOptions large = RateLimiterOptions.of(TEN);
    for (int i = 0; i < 100; i++) {
      large = large.override("a key with a long name, number " + i, TEN, TWENTY);
    }
    for (int i = 0; i < 3; i++) {
      book().set(NAME, large, "ops", "");
    }
    assertThat(book().history(NAME)).extracting(PolicyEntry::version).containsExactly(3);
    for (int i = 0; i < 25; i++) {
      book().set("small", RateLimiterOptions.of(TEN), "ops", "");
    }
    assertThat(book().history("small")).hasSize(20);
    assertThat(book().history("small").get(0).version()).isEqualTo(25);
    RateLimiterOptions tooLarge = large;
    for (int i = 0; i < 100; i++) {
      tooLarge = tooLarge.override("one more key, number " + i, TEN, TWENTY);
    }
    RateLimiterOptions longest = tooLarge;
    assertThatThrownBy(() -> book().set(NAME, longest, "ops", ""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("16384");
  }

  @Test
  default void whatBreaksARuleOfTheBookIsRefusedAtOnce() {
    set(TEN);
    RateLimiterOptions again = RateLimiterOptions.of(TEN).version(1, CarryOver.KEEP);
    assertThatThrownBy(() -> book().set(NAME, again, "ops", ""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("version must be above that of the present entry, 1: 1");
    assertThatThrownBy(() -> book().set("", RateLimiterOptions.of(TEN), "ops", ""))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> book().set(NAME, RateLimiterOptions.of(TEN), "", ""))
        .hasMessage("author must be 1 to 100 characters: 0");
    assertThatThrownBy(() -> book().set(NAME, RateLimiterOptions.of(TEN), "x", "y".repeat(201)))
        .hasMessage("reason must be 0 to 200 characters: 201");
    assertThat(book().history(NAME)).hasSize(1);
  }

  /** A store whose limits are available, and whose notes can be unavailable. */
  record NotesAway(Backend store, AtomicBoolean away) implements Backend, NoteBackend {
    @Override
    public String describe() {
      return store.describe();
    }

    @Override
    public GrantBackend locks() {
      return store.locks();
    }

    @Override
    public LimitBackend limits() {
      return store.limits();
    }

    @Override
    public NoteBackend notes() {
      return this;
    }

    @Override
    public CompletionStage<Boolean> put(String board, String name, String text, long ttlMicros) {
      return store.notes().put(board, name, text, ttlMicros);
    }

    @Override
    public CompletionStage<Boolean> replace(
        String board, String name, @Nullable String expected, String text) {
      return store.notes().replace(board, name, expected, text);
    }

    @Override
    public CompletionStage<Map<String, String>> all(String board) {
      return away.get()
          ? CompletableFuture.failedFuture(new BackendException("away", null))
          : store.notes().all(board);
    }

    @Override
    public void close() {
      store.close();
    }
  }
}
