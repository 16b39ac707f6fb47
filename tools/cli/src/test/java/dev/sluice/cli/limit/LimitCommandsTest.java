package dev.sluice.cli.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.Sluice;
import dev.sluice.cli.Ran;
import dev.sluice.cli.store.StoreReport;
import dev.sluice.limit.Limit;
import dev.sluice.limit.RateLimiter;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.jr.ob.JSON;

class LimitCommandsTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "limit                                 | a command is missing. See 'sluice limit --help'",
        "limit try a                           | Missing required",
        "limit try a b                         | Missing required option: '--policy=POLICY'",
        "limit try a b --policy gcra           | --policy: ",
        "limit try a b --policy gcra_0/s       | --policy: ",
        "limit try a b --policy nosuch_1/s     | --policy: ",
        "limit try a b --policy gcra_1/s_+_    | --policy: ",
        "limit try a b --policy gcra_1/s --policy leaky-queue_1/s | --policy: a leaky queue must be",
        "limit try a b --policy gcra_1/s --cost 2    | cost must be",
        "limit try a b --policy gcra_1/s --cost -1   | cost must be",
        "limit try a b --policy gcra_1/s --cost x    | Invalid value for option '--cost'",
        "limit try a b --policy gcra_1/s --wait soon | --wait must be a duration",
        "limit try a b --policy gcra_1/s --wait PT-1S | --wait must not be negative",
        "limit try a \uFFFD --policy gcra_1/s  | cannot read '\uFFFD' in this locale",
        "limit peek a b --policy gcra          | --policy: ",
        "limit reset a b                       | Missing required option: '--policy=POLICY'",
        "limit set                             | Missing required parameter: 'NAME'",
        "limit set a                           | --policy, --key, --drop-key, --plan or --drop-plan must"
            + " be given",
        "limit set a --key k=gcra_1/s          | --policy must be given: the book has no policy",
        "limit set a --key gcra_1/s            | --key must be KEY=POLICY: 'gcra 1/s'",
        "limit set a --plan =gcra_1/s          | --plan must be PLAN=POLICY: '=gcra 1/s'",
        "limit set a --policy gcra             | --policy: ",
        "limit set a --policy gcra_1/s --version x  | Invalid value for option '--version'",
        "limit set a --policy gcra_1/s --version 70000 | version must be 0 to 65535: 70000",
        "limit set a --policy gcra_1/s --author=  | author must be 1 to 100 characters: 0",
        "limit revert a                        | Missing required parameter: 'VERSION'",
        "limit revert a 1                      | the policy book has no entry of limiter 'a'",
        "throttle                              | Missing required parameters: 'KEY', 'BURST'",
        "throttle k 1 1                        | Missing required parameter: 'PERIOD'",
        "throttle k -2 1 1                     | max_burst must be >= -1: -2",
        "throttle k 1 0 1                      | count must be >= 1: 0",
        "throttle k 1 1 0                      | period must be >= 1 second: 0",
        "throttle k 1 1 x                      | Invalid value for positional parameter at index 3",
        "throttle k 1 1 1 1 1                  | Unmatched argument",
        "throttle k 1 1 1 --jason              | Invalid value for positional parameter at index 4"
      })
  void misuseEndsWith64AndSaysTheRule(String args, String message) {
    String[] words = ("--url memory: " + args).split(" ");
    for (int i = 0; i < words.length; i++) {
      words[i] = words[i].replace('_', ' ');
    }
    Ran ran = Ran.sluice(words);
    assertThat(ran.err()).startsWith("sluice: ").contains(message).doesNotContain("\tat ");
    assertThat(ran.out()).isEmpty();
    assertThat(ran.code()).isEqualTo(64);
  }

  @Test
  void tryTakesPeekLooksResetForgets() throws IOException {
    String[] alice = {"login", "alice", "--policy", "fixed-window 2/1d"};
    try (Sluice sluice = Sluice.connect("memory:limit-try")) {
      assertThat(limit("limit-try", "peek", alice).out()).isEqualTo("allowed; 2 of 2 left\n");
      Ran first = limit("limit-try", "try", alice);
      assertThat(first.code()).isZero();
      assertThat(first.out()).matches("allowed; 1 of 2 left; full again in \\S+\n");
      RateLimiter same = sluice.rateLimiter("login", Limit.parse("fixed-window 2/1d"));
      assertThat(same.tryAcquire("alice").allowed()).isTrue();
      Ran refused = limit("limit-try", "try", alice);
      assertThat(refused.code()).isEqualTo(75);
      assertThat(refused.out())
          .matches("refused by tier 1; 0 of 2 left; retry in (\\S+); full again in \\1\n");
      Ran look = limit("limit-try", "peek", "login", "alice", "--policy", alice[3], "--json");
      assertThat(look.code()).isEqualTo(75);
      assertThat(JSON.std.mapFrom(look.out()))
          .containsEntry("name", "login")
          .containsEntry("key", "alice")
          .containsEntry("allowed", false)
          .containsEntry("limit", 2)
          .containsEntry("remaining", 0)
          .containsEntry("refusedBy", "1")
          .containsKeys("retryAfterMillis", "resetAfterMillis");
      Ran reset = limit("limit-try", "reset", alice);
      assertThat(reset).isEqualTo(new Ran(0, "", ""));
      assertThat(limit("limit-try", "try", alice).out()).startsWith("allowed; 1 of 2 left");
    }
  }

  @Test
  void severalPoliciesAreTiersInOneOptionOrInMany() {
    for (String store : new String[] {"tiers-a", "tiers-b"}) {
      String[] tiers =
          store.equals("tiers-a")
              ? new String[] {
                "n", "k", "--policy", "fixed-window 5/1d + fixed-window 1/1d name day"
              }
              : new String[] {
                "n", "k", "--policy", "fixed-window 5/1d", "--policy", "fixed-window 1/1d name day"
              };
      try (Sluice sluice = Sluice.connect("memory:" + store)) {
        assertThat(limit(store, "try", tiers).code()).isZero();
        Ran refused = limit(store, "try", tiers);
        assertThat(refused.out()).startsWith("refused by tier day; 0 of 1 left; retry in ");
        Limit first = Limit.parse("fixed-window 5/1d");
        Limit second = Limit.parse("fixed-window 1/1d name day");
        assertThat(sluice.rateLimiter("n", first, second).peek("k", 1).refusedBy()).contains("day");
      }
    }
  }

  @Test
  void waitTakesAPlaceThatComesInTimeAndNoOther() {
    try (Sluice sluice = Sluice.connect("memory:limit-wait")) {
      String[] queue = {"q", "k", "--policy", "leaky-queue 10/s", "--wait", "30s"};
      for (int i = 0; i < 3; i++) {
        assertThat(limit("limit-wait", "try", queue).code()).isZero();
      }
      String[] slow = {"s", "k", "--policy", "leaky-queue 1/1h", "--wait", "1s"};
      assertThat(limit("limit-wait", "try", slow).code()).isZero();
      Ran refused = limit("limit-wait", "try", slow);
      assertThat(refused.code()).isEqualTo(75);
      assertThat(refused.out()).contains("retry in ");
      assertThat(sluice.describe()).isNotEmpty();
    }
  }

  @Test
  void policyIsWrittenShownRevertedAndFollowed() throws Exception {
    Limit ten = Limit.parse("fixed-window 10/1d");
    Limit five = Limit.parse("fixed-window 5/1d");
    String[] who = {"--author", "ops", "--reason"};
    try (Sluice sluice = Sluice.connect("memory:limit-set")) {
      assertThat(limit("limit-set", "history", "api")).isEqualTo(new Ran(0, "", ""));
      RateLimiter api = sluice.rateLimiter("api", ten);
      sluice.policyBook().follow();
      Ran set =
          limit(
              "limit-set",
              "set",
              "api",
              "--policy",
              "fixed-window 5/1d",
              who[0],
              who[1],
              who[2],
              "a\tb");
      assertThat(set.err()).isEmpty();
      assertThat(set.out()).matches("api version 1: fixed-window 5/1d; \\S+Z by ops: a\\\\tb\\R");
      await().untilAsserted(() -> assertThat(api.options().limits()).containsExactly(five));
      Ran key =
          limit(
              "limit-set",
              "set",
              "api",
              "--key",
              "vip=1=fixed-window 10/1d",
              "--key",
              "other=fixed-window 5/1d");
      assertThat(key.out()).contains("version 2: fixed-window 5/1d; ").contains("  key other: ");
      limit("limit-set", "set", "api", "--drop-key", "other");
      Ran plan =
          limit("limit-set", "set", "tariff", "--policy", "gcra 1/s", "--plan", "pro=gcra 9/s");
      assertThat(plan.out()).endsWith("  plan pro: gcra 9/1s burst 9" + System.lineSeparator());
      assertThat(limit("limit-set", "set", "tariff", "--key", "k=gcra 2/s").out())
          .contains("  plan pro: ");
      assertThat(limit("limit-set", "set", "tariff", "--drop-plan", "pro").out())
          .contains("  key k: ")
          .doesNotContain("plan");
      await()
          .untilAsserted(
              () -> assertThat(api.options().overrides()).isEqualTo(Map.of("vip=1", List.of(ten))));
      assertThat(limit("limit-set", "revert", "api", "1").out())
          .startsWith("api version 4: fixed-window 5/1d; ");
      Ran history = limit("limit-set", "history", "api", "--json");
      assertThat(JSON.std.listFrom(history.out()))
          .extracting("version")
          .containsExactly(4, 3, 2, 1);
      assertThat(limit("limit-set", "history").out()).startsWith("api version 4: ");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"key", "plan"})
  void whatIsNotInThePolicyCannotBeDropped(String kind) {
    String store = "memory:limit-drop-" + kind;
    try (Sluice sluice = Sluice.connect(store)) {
      String[] set = {"--url", store, "limit", "set", "api"};
      Ran first = Ran.sluice(words(set, "--policy", "gcra 1/s", "--" + kind, "vip=gcra 9/s"));
      assertThat(first.code()).isZero();

      Ran missing = Ran.sluice(words(set, "--drop-" + kind, "vlp"));

      assertThat(missing.code()).isEqualTo(64);
      assertThat(missing.err())
          .contains("no such " + kind + " in the present policy of 'api': 'vlp'");
      assertThat(sluice.policyBook().history("api")).as("nothing is written").hasSize(1);
      assertThat(Ran.sluice(words(set, "--drop-" + kind, "vip")).code()).isZero();
      assertThat(sluice.policyBook().history("api")).hasSize(2);
    }
  }

  private static String[] words(String[] first, String... more) {
    return Stream.concat(Stream.of(first), Stream.of(more)).toArray(String[]::new);
  }

  private static Ran limit(String store, String verb, String... args) {
    String[] words = new String[4 + args.length];
    words[0] = "--url";
    words[1] = "memory:" + store;
    words[2] = "limit";
    words[3] = verb;
    System.arraycopy(args, 0, words, 4, args.length);
    Ran ran = Ran.sluice(words);
    assertThat(ran.err()).isEmpty();
    return ran;
  }

  @Test
  void throttlePrintsTheFiveValues() {
    try (Sluice sluice = Sluice.connect("memory:throttle")) {
      String[] call = {"--url", "memory:throttle", "throttle", "k", "1", "1", "86400"};
      assertThat(Ran.sluice(call).out()).isEqualTo("0\n2\n1\n-1\n86400\n");
      assertThat(sluice.throttle().clThrottle("k", 1, 1, 86_400, 1).remaining()).isZero();
      Ran refused = Ran.sluice(call);
      assertThat(refused.out()).matches("1\n2\n0\n86\\d{3}\n172\\d{3}\n");
      assertThat(refused.code()).isEqualTo(75);
    }
  }

  @Test
  void throttlePrintsWhatRedisCliPrintsIfAsked() {
    Ran ran = Ran.sluice("--url", "memory:", "throttle", "k", "15", "30", "60", "1", "--no-raw");
    assertThat(ran.code()).isZero();
    assertThat(ran.out())
        .isEqualTo(
            """
            1) (integer) 0
            2) (integer) 16
            3) (integer) 15
            4) (integer) -1
            5) (integer) 2
            """);
  }

  @Test
  void throttleTakesNumbersBelowZero() {
    Ran never = Ran.sluice("--url", "memory:", "throttle", "k", "-1", "30", "60", "1", "--raw");
    assertThat(never.code()).isEqualTo(75);
    assertThat(never.out()).isEqualTo("1\n0\n0\n-1\n0\n");
    Ran back = Ran.sluice("--url", "memory:", "throttle", "k", "15", "30", "60", "-3", "--raw");
    assertThat(back.code()).isZero();
    assertThat(back.out()).isEqualTo("0\n16\n16\n-1\n0\n");
  }

  @Test
  void showWithoutANameIsAboutTheStore() throws IOException {
    assertThat(Ran.sluice("--url", "memory:", "show"))
        .isEqualTo(
            new Ran(
                0,
                "store       memory of this JVM\nnote        the store is the memory of this JVM\n",
                ""));
    assertThat(JSON.std.mapFrom(Ran.sluice("--url", "memory:", "show", "--json").out()))
        .containsEntry("store", "memory of this JVM")
        .containsEntry("notes", java.util.List.of("the store is the memory of this JVM"));
    assertThat(StoreReport.lines("Redis at x", java.util.List.of("a", "b\u001b")))
        .isEqualTo("store       Redis at x\nnote        a\nnote        b\\u001b\n");
  }
}
