package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.awaitility.Awaitility.await;

import dev.sluice.BackendException;
import dev.sluice.ForeignDataException;
import dev.sluice.MissingDataException;
import dev.sluice.Sluice;
import dev.sluice.SluiceException;
import dev.sluice.cli.terminal.Exit;
import dev.sluice.jdbc.JdbcBackend;
import dev.sluice.jdbc.JdbcBackendBuilder;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseState;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import tools.jackson.jr.ob.JSON;

class CommandLineTest {

  @ParameterizedTest
  @CsvSource({
    "lcok, lock",
    "stok ls, stock",
    "stock shwo x, show",
    "ls --limt 3, --limit",
    "lsit, ls"
  })
  void aMistypedWordIsAnsweredWithTheOneThatWasMeant(String args, String meant) {
    Ran ran = Ran.sluice(args.split(" "));
    assertThat(ran.code()).isEqualTo(64);
    assertThat(ran.err()).contains("\nDid you mean '" + meant + "'?\n");
  }

  /** Whoever copies a URL or an option from the help gets all of it. */
  @Test
  void noHelpBreaksAUrlAcrossLines() {
    assertUnbroken(Main.commandLine());
  }

  private static void assertUnbroken(CommandLine command) {
    CommandSpec spec = command.getCommandSpec();
    List<String> said = new ArrayList<>();
    said.addAll(List.of(spec.usageMessage().description()));
    said.addAll(List.of(spec.usageMessage().footer()));
    spec.options().forEach(option -> said.addAll(List.of(option.description())));
    spec.positionalParameters().forEach(each -> said.addAll(List.of(each.description())));
    String help = command.getUsageMessage(CommandLine.Help.Ansi.OFF);
    for (String text : said) {
      for (String word : text.split("\\s+")) {
        if (word.matches(".*(://|~/|/\\w+/).*") && !word.contains("${")) {
          assertThat(help).contains(word);
        }
      }
    }
    command.getSubcommands().values().forEach(CommandLineTest::assertUnbroken);
  }

  /** The arguments of each command that uses a store. */
  private static final Map<String, String> ON_A_STORE =
      Map.ofEntries(
          Map.entry("lock", "x --try -- true"),
          Map.entry("ls", ""),
          Map.entry("show", "x"),
          Map.entry("unlock", "x --force"),
          Map.entry("limit try", "x y --policy gcra_1/s"),
          Map.entry("limit peek", "x y --policy gcra_1/s"),
          Map.entry("limit reset", "x y --policy gcra_1/s"),
          Map.entry("limit set", "x --policy gcra_1/s"),
          Map.entry("limit history", "x"),
          Map.entry("limit revert", "x 1"),
          Map.entry("throttle", "x 1 1 1"),
          Map.entry("bloom create", "x 100 0.01"),
          Map.entry("bloom add", "x y"),
          Map.entry("bloom check", "x y"),
          Map.entry("bloom info", "x"),
          Map.entry("stock ls", ""),
          Map.entry("stock show", "x"),
          Map.entry("stock open", "x 1 5"),
          Map.entry("stock close", "x 1"),
          Map.entry("stock resize", "x 1 5"),
          Map.entry("stock dead-letters", "x"),
          Map.entry("stock requeue", "x y 1"),
          Map.entry("ddl", ""),
          Map.entry("doctor", "--timeout 1s"),
          Map.entry("console", "--port 0"));

  private static List<String> commands(String path, CommandLine command) {
    if (command.getSubcommands().isEmpty()) {
      return List.of(path);
    }
    List<String> all = new ArrayList<>();
    command
        .getSubcommands()
        .forEach((name, each) -> all.addAll(commands((path + " " + name).trim(), each)));
    return all;
  }

  @Test
  void everyCommandThatUsesAStoreIsTriedWithSecrets() {
    List<String> all = commands("", Main.commandLine());
    assertThat(all).containsAll(ON_A_STORE.keySet());
    assertThat(all)
        .filteredOn(command -> !ON_A_STORE.containsKey(command))
        .as("which use no store")
        .containsExactlyInAnyOrder("limit replay", "fencing-demo", "completion", "help");
  }

  @ParameterizedTest
  @Timeout(100)
  @ValueSource(
      strings = {
        "jdbc:postgresql://127.0.0.1:1/db?user=hunter2&password=hunter2#hunter2",
        "jdbc:mariadb://127.0.0.1:1/db?user=hunter2&password=hunter2",
        "redis://u:hunter2@127.0.0.1:1/0",
        "redis://127.0.0.1:1?password=hunter2#hunter2",
        "redis-cluster://u:hunter2@127.0.0.1:1",
        "redis-quorum://u:hunter2@127.0.0.1:1,u:hunter2@127.0.0.1:2,u:hunter2@127.0.0.1:3",
        "pigeon://u:hunter2@roof?token=hunter2#hunter2"
      })
  void noCommandShowsWhatIsSecretInAUrl(String url) {
    ON_A_STORE.forEach(
        (command, arguments) -> {
          List<String> words = new ArrayList<>(List.of("--url", url));
          words.addAll(List.of(command.split(" ")));
          for (String each : arguments.split(" ")) {
            words.add(each.replace('_', ' '));
          }
          words.removeIf(String::isEmpty);
          Ran ran = Ran.sluice(words.toArray(String[]::new));
          assertThat(ran.code() == 0)
              .as("%s: %s", words, ran)
              .isEqualTo(command.equals("ddl") && url.startsWith("jdbc:"));
          assertThat(ran.out() + ran.err())
              .as("%s", words)
              .isNotEmpty()
              .doesNotContain("hunter2", "\tat ");
        });
  }

  @Test
  void theTablesOfASqlStoreArePrintedAsTheyCanBeRun(@TempDir Path folder) throws Exception {
    String url = "jdbc:sqlite:" + folder.resolve("s.db");
    JdbcBackendBuilder store = JdbcBackend.builder().url(url).createTables(false);
    StringWriter err = new StringWriter();
    try (JdbcBackend open = store.build();
        Sluice sluice = Sluice.builder().backend(open).build()) {
      sluice.lock("x").tryAcquire();
      fail("there are no tables");
    } catch (BackendException e) {
      assertThat(Main.failed(e, new PrintWriter(err, true))).isEqualTo(Exit.UNREACHABLE);
      assertThat(err.toString())
          .isEqualTo(
              "sluice: the database lacks the tables of Sluice: run there what 'sluice ddl' prints\n");
    }
    try (Connection database = DriverManager.getConnection(url);
        Statement statement = database.createStatement()) {
      Ran ddl = Ran.sluice("ddl", "--url", url);
      assertThat(ddl.code()).isZero();
      for (String each : ddl.out().split(";")) {
        if (!each.isBlank()) {
          statement.execute(each);
        }
      }
    }
    try (Sluice sluice = Sluice.builder().backend(store.build()).build()) {
      assertThat(sluice.lock("x").tryAcquire()).isPresent();
    }
    assertThat(Ran.sluice("ddl", "--url", "jdbc:postgresql://nobody.invalid/x").out())
        .contains("CREATE TABLE IF NOT EXISTS sluice_locks", "BIGINT")
        .endsWith(";\n");
    assertThat(Ran.sluice("ddl", "--url", "jdbc:postgresql:?namespace=shop-staging").out())
        .contains("CREATE TABLE IF NOT EXISTS sluice_shop_staging_locks")
        .doesNotContain("sluice_locks");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "                                   | a command is missing. See 'sluice --help'",
        "lcok                               | Unmatched argument at index 0: 'lcok'",
        "ls --limit 0                       | --limit must be at least 1: 0",
        "ls --limit x                       | Invalid value for option '--limit': 'x' is not an int",
        "show a b                           | Unmatched argument at index 2: 'b'",
        "--url nosuch://:secret@host ls     | --url or SLUICE_URL: no backend for a URI that starts with 'nosuch:'",
        "redis://user:secret@host           | Unmatched argument at index 0: 'redis://***@host'",
        "lock                               | Missing required parameter: 'NAME'",
        "lock x                             | the command is missing. It stands after '--'",
        "lock x --                          | the command is missing. It stands after '--'",
        "lock x make                        | put '--' before the command",
        "lock x ls -l                       | Unknown option: '-l'",
        "lock x --ttl 5 -- true             | --ttl must be a duration like 250ms, 10s, 2m, 1h or PT1H30M: 5",
        "lock x --ttl 9ms -- true           | --ttl must be 10ms to 1d: 9ms",
        "lock x --ttl 25h -- true           | --ttl must be 10ms to 1d: 25h",
        "lock x --wait soon -- true         | --wait must be a duration like 250ms, 10s, 2m, 1h or PT1H30M: soon",
        "lock x --wait PT-1S -- true        | --wait must not be negative: PT-1S",
        "lock x --try --wait 1s -- true     | --try and --wait exclude each other",
        "lock n\uFFFDme -- true             | cannot read 'n\uFFFDme' in this locale",
        "lock x -- echo \uFFFD              | cannot read '\uFFFD' in this locale",
        "show \uFFFD                        | cannot read '\uFFFD' in this locale",
        "ddl --url redis://:secret@host     | --url or SLUICE_URL: only SQL stores have tables, and this is not one: redis://***@host",
        "ls --url redis://host?namespace=X   | --url or SLUICE_URL: namespace must be 1 to 32",
        "ddl --url jdbc:oracle:x            | --url or SLUICE_URL: url must start with jdbc: and one of postgresql",
        "unlock                             | Missing required parameter: 'NAME'",
        "unlock x                           | this takes the lock from its holder; confirm with --force",
        "unlock \uFFFD --force              | cannot read '\uFFFD' in this locale"
      })
  void misuseEndsWith64AndSaysTheRule(String args, String message) {
    Ran ran = Ran.sluice(args == null ? new String[0] : args.split(" "));
    assertThat(ran.err()).startsWith("sluice: " + message).doesNotContain("secret");
    assertThat(ran.out()).isEmpty();
    assertThat(ran.code()).isEqualTo(64);
  }

  @Test
  void tokensThatWouldNotGrowEndWith65() {
    for (SluiceException failure :
        List.of(
            new MissingDataException("7 after 8", null),
            new ForeignDataException("none left", null))) {
      StringWriter err = new StringWriter();
      assertThat(Main.failed(failure, new PrintWriter(err))).isEqualTo(65);
      assertThat(err.toString())
          .isEqualToNormalizingNewlines("sluice: " + failure.getMessage() + "\n");
    }
  }

  @Test
  void badNamesEndWith64() {
    Ran empty = Ran.sluice("--url", "memory:", "lock", "", "--", "true");
    assertThat(empty.err())
        .isEqualTo("sluice: name must be 1 to 512 bytes of UTF-8: it is empty\n");
    assertThat(empty.code()).isEqualTo(64);
    Ran wide = Ran.sluice("--url", "memory:", "show", "x".repeat(513));
    assertThat(wide.err()).isEqualTo("sluice: name must be 1 to 512 bytes of UTF-8: it has 513\n");
    assertThat(wide.code()).isEqualTo(64);
  }

  @Test
  void controlCharactersOfAnArgumentDoNotReachTheTerminal() {
    Ran ran = Ran.sluice("lock", "x", "--ttl", "\u001b[2J", "--", "true");
    assertThat(ran.err()).contains("\\u001b[2J").doesNotContain("\u001b");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--help",
        "lock --help",
        "ls -h",
        "show -h",
        "unlock -h",
        "completion -h",
        "help lock",
        "bloom -h",
        "bloom create -h",
        "bloom add -h",
        "bloom check -h",
        "bloom info -h",
        "fencing-demo -h"
      })
  void helpGoesToTheOutputAndFitsATerminal(String args) {
    Ran ran = Ran.sluice(args.split(" "));
    assertThat(ran.code()).isZero();
    assertThat(ran.err()).isEmpty();
    assertThat(ran.out()).startsWith("Usage: sluice");
    assertThat(ran.out().lines()).allMatch(line -> line.length() <= 80);
  }

  @Test
  void helpOfLockTellsEveryExitCode() {
    assertThat(Ran.sluice("lock", "--help").out())
        .contains("SLUICE_LOCK", "SLUICE_TOKEN", "SLUICE_OWNER")
        .contains("  64 ", "  65 ", "  69 ", "  75 ", "  76 ", "  126 ", "127", "  130 ", "143");
  }

  @Test
  void versionIsOneLine() {
    Ran ran = Ran.sluice("--version");
    assertThat(ran.code()).isZero();
    assertThat(ran.out()).matches("sluice \\S.*\\R");
  }

  @Test
  void completionKnowsEveryCommand() {
    Ran ran = Ran.sluice("completion");
    assertThat(ran.code()).isZero();
    assertThat(ran.out()).startsWith("#!").contains("lock", "ls", "show", "--ttl", "complete -F");
  }

  @Test
  void urlMayStandBeforeOrAfterTheCommand() throws Exception {
    try (Sluice sluice = Sluice.connect("memory:url-place");
        Lease lease = sluice.lock("here").acquire(Duration.ofSeconds(10))) {
      assertThat(Ran.sluice("--url", "memory:url-place", "ls").out()).contains("here");
      assertThat(Ran.sluice("ls", "--url=memory:url-place").out())
          .contains("here", "" + lease.token());
    }
  }

  @Test
  void listsInOrderOfNamesAndSaysWhenThereAreMore() throws Exception {
    try (Sluice sluice = Sluice.connect("memory:many")) {
      for (String name : List.of("b", "c", "a")) {
        sluice.lock(name).acquire(Duration.ofSeconds(10));
      }
      Ran all = Ran.sluice("--url", "memory:many", "ls", "--json", "--limit", "3");
      assertThat(all.err()).isEmpty();
      assertThat(JSON.std.listFrom(all.out()))
          .extracting(lock -> String.valueOf(((Map<?, ?>) lock).get("name")))
          .containsExactly("a", "b", "c");
      Ran some = Ran.sluice("--url", "memory:many", "ls", "--limit", "2");
      assertThat(some.out().lines()).hasSize(3);
      assertThat(some.err()).isEqualTo("sluice: there are more than 2; see --limit\n");
    }
  }

  @Test
  void anEmptyStoreIsAnEmptyAnswer() {
    Ran table = Ran.sluice("--url", "memory:", "ls");
    assertThat(table.code()).isZero();
    assertThat(table.out()).isEmpty();
    assertThat(table.err()).isEqualTo("sluice: no locks at memory of this JVM\n");
    assertThat(Ran.sluice("--url", "memory:", "ls", "--json").out().strip()).isEqualTo("[]");
  }

  @Test
  void showsHolderAndQueue() throws Exception {
    try (Sluice holder = Sluice.connect("memory:queue");
        Sluice waiter = Sluice.connect("memory:queue");
        Lease lease = holder.lock("q").acquire(Duration.ofSeconds(10))) {
      var waiting = waiter.lock("q").async().acquire(Duration.ofSeconds(30)).toCompletableFuture();
      Ran ran = Ran.sluice("--url", "memory:queue", "show", "q", "--json");
      assertThat(ran.code()).isZero();
      var lock = JSON.std.mapFrom(ran.out());
      assertThat(lock).containsEntry("held", true);
      assertThat(lock.get("holder"))
          .hasFieldOrPropertyWithValue("client", holder.clientId())
          .hasFieldOrPropertyWithValue("token", lease.token());
      assertThat((List<?>) lock.get("waiters"))
          .singleElement()
          .hasFieldOrPropertyWithValue("client", waiter.clientId());
      waiting.cancel(false);
    }
  }

  @Test
  void unlockTakesTheLockFromItsHolderAndSaysWhoItWas() throws Exception {
    try (Sluice holder = Sluice.connect("memory:taken")) {
      Lease lease = holder.lock("t").acquire(Duration.ofSeconds(10));
      Ran unasked = Ran.sluice("--url", "memory:taken", "unlock", "t");
      assertThat(unasked.code()).isEqualTo(64);
      lease.checkHeld();
      Ran ran = Ran.sluice("--url", "memory:taken", "unlock", "t", "--force");
      assertThat(ran.code()).as(ran.err()).isZero();
      assertThat(ran.out().lines())
          .hasSize(4)
          .anyMatch(("taken from  " + holder.clientId())::equals)
          .anyMatch(("token       " + lease.token())::equals);
      await().atMost(Duration.ofSeconds(30)).until(() -> lease.state() == LeaseState.LOST);
      Lease next = holder.lock("t").acquire(Duration.ofSeconds(10));
      Ran again = Ran.sluice("--url", "memory:taken", "unlock", "t", "--force", "--json");
      var taken = JSON.std.mapFrom(again.out());
      assertThat(taken).containsEntry("taken", true).containsEntry("name", "t");
      assertThat(taken.get("holder")).hasFieldOrPropertyWithValue("token", next.token());
      assertThat((long) taken.get("fence")).isGreaterThan(next.token());
    }
  }

  @Test
  void unlockOfAFreeLockIsNoError() throws Exception {
    Ran ran = Ran.sluice("--url", "memory:", "unlock", "f", "--force");
    assertThat(ran.code()).isZero();
    assertThat(ran.out()).isEmpty();
    assertThat(ran.err()).isEqualTo("sluice: lock 'f' is not held\n");
    Ran json = Ran.sluice("--url", "memory:", "unlock", "f", "--force", "--json");
    assertThat(JSON.std.mapFrom(json.out())).containsEntry("taken", false).hasSize(2);
  }

  @Test
  void busyEndsWith75() throws Exception {
    try (Sluice sluice = Sluice.connect("memory:busy");
        Lease lease = sluice.lock("b").acquire(Duration.ofSeconds(10))) {
      Ran once = Ran.sluice("--url", "memory:busy", "lock", "b", "--try", "--", "true");
      assertThat(once.err()).isEqualTo("sluice: lock 'b' is held by another process\n");
      assertThat(once.code()).isEqualTo(75);
      Ran waited = Ran.sluice("--url", "memory:busy", "lock", "b", "--wait=50ms", "--", "true");
      assertThat(waited.err()).isEqualTo("sluice: lock 'b' was not free within 50ms\n");
      assertThat(waited.code()).isEqualTo(75);
      assertThat(lease.release()).isTrue();
    }
  }

  @Test
  void aCommandThatCannotStartGivesTheLockBack() {
    String[] missing = {"--url", "memory:gone", "lock", "g", "--", "/no/such/command"};
    Ran ran = Ran.sluice(missing);
    assertThat(ran.err())
        .isEqualTo("sluice: cannot start '/no/such/command': no such file or directory\n");
    assertThat(ran.code()).isEqualTo(127);
    Ran folder = Ran.sluice("--url", "memory:gone", "lock", "g", "--try", "--", "/");
    assertThat(folder.err()).isEqualTo("sluice: cannot start '/': Permission denied\n");
    assertThat(folder.code()).isEqualTo(126);
    Ran free = Ran.sluice("--url", "memory:gone", "lock", "g", "--try", "--", "true");
    assertThat(free.code()).isZero();
  }
}
