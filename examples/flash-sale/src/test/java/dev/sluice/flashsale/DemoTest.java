package dev.sluice.flashsale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DemoTest {

  @Test
  void onceSellsWithEveryStrategyAndPrintsATable() throws Exception {
    var text = new ByteArrayOutputStream();
    DemoOptions options =
        DemoOptions.parse("--once", "--stock=100", "--requests", "250", "--sale.hold=10m");

    int exit = Demo.once(options, new PrintStream(text, true, StandardCharsets.UTF_8), () -> false);

    assertThat(text.toString(StandardCharsets.UTF_8))
        .startsWith("100 units, 250 buyers, 64 at a time. Starting 2 instances ...")
        .containsPattern("(?m)^none +\\d+ .* (exact|oversold by \\d+)$")
        .containsPattern("(?m)^atomic +\\d+ .* oversold by \\d+$")
        .containsPattern("(?m)^lock +100 +150 +0 .* exact$")
        .containsPattern("(?m)^optimistic +\\d+ .* (exact|\\d+ left unsold)$")
        .containsPattern("(?m)^pessimistic +100 +150 +0 .* exact$")
        .containsPattern("(?m)^conditional +100 +150 +0 .* exact$")
        .containsPattern("(?m)^inventory +100 +150 +0 .* exact$")
        .contains("The lock sold exactly what there was.")
        .doesNotContain("refused");
    assertThat(exit).isZero();
  }

  @Test
  void onceSaysHowManyTheLimitRefused() throws Exception {
    var text = new ByteArrayOutputStream();
    DemoOptions options =
        DemoOptions.parse("--once", "--stock=300", "--requests=300", "--tries=100");

    int exit = Demo.once(options, new PrintStream(text, true, StandardCharsets.UTF_8), () -> false);

    assertThat(text.toString(StandardCharsets.UTF_8))
        .contains("300 units, 3 buyers with up to 100 tries each, 64 at a time.")
        .containsPattern("(?m)^[\\d,]+ requests were refused by the limit \\(429\\)\\.$")
        .contains("The lock sold exactly what there was.");
    assertThat(exit).isZero();
  }

  @Test
  void onceSaysWhatItDoesBeforeItStartsAndCtrlCEndsItCleanly(@TempDir Path folder)
      throws Exception {
    Process demo =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Djava.io.tmpdir=" + folder,
                "-cp",
                System.getProperty("java.class.path"),
                FlashSaleApplication.class.getName(),
                "--once",
                "--stock=100000")
            .redirectErrorStream(true)
            .start();
    try (BufferedReader lines = demo.inputReader(StandardCharsets.UTF_8)) {
      assertThat(lines.readLine()).contains("100,000 units").contains("Starting 2 instances ...");
      assertThat(folder).as("before a database is made").isDirectoryNotContaining("glob:**.db");
      String line = lines.readLine();
      while (line != null && !line.startsWith("strategy")) {
        line = lines.readLine();
      }
      demo.toHandle().destroy(); // what Ctrl-C is for the JVM
      assertThat(lines.lines()).as("no trace, no complaint").containsExactly("", "Stopped.");
    } finally {
      demo.destroyForcibly();
    }
    assertThat(folder).isDirectoryNotContaining("glob:**sluice-flash-sale*");
  }

  @Test
  void twoInstancesShareAStoreUnlessAStoreIsNamed() {
    assertThat(DemoOptions.parse().instances()).isEqualTo(2);
    assertThat(DemoOptions.parse().url()).isEqualTo("memory:flash-sale");
    assertThat(DemoOptions.parse("--url", "redis://h:1").instances()).isEqualTo(1);
    assertThat(DemoOptions.parse("--url=redis://h:1", "--once").instances()).isEqualTo(2);
    assertThat(DemoOptions.parse("--server.port=8081").port()).isEqualTo(8081);
    assertThat(DemoOptions.parse("--sale.work=100ms").spring())
        .contains("--sale.work=100ms", "--sale.stock=2000");
  }

  @Test
  void aDatabaseIsSharedByThoseWhoShareTheLockOnly() {
    Path home = Path.of("home");
    assertThat(DemoOptions.parse().data(home, 8080)).isEqualTo(home.resolve("8080/sale"));
    assertThat(DemoOptions.parse("--url=memory:").data(home, 8081))
        .isEqualTo(home.resolve("8081/sale"));

    String store = "redis://:se/cret@127.0.0.1:6379";
    assertThat(DemoOptions.parse("--url", store).data(home, 8080))
        .isEqualTo(DemoOptions.parse("--url", store).data(home, 8081))
        .isEqualTo(home.resolve("redis-127.0.0.1-6379/sale"));
    assertThat(DemoOptions.parse("--url", "redis://127.0.0.1:6380").data(home, 8080))
        .isNotEqualTo(DemoOptions.parse("--url", store).data(home, 8080));

    assertThat(DemoOptions.parse("--db", "mine").data(home, 8080)).isEqualTo(Path.of("mine/sale"));
    assertThat(DemoOptions.parse("--sale.data=mine/file").data(home, 8080))
        .isEqualTo(Path.of("mine/file"));
  }

  @Test
  void onceKeepsItsOrdersWhereADatabaseIsNamed(@TempDir Path folder) throws Exception {
    var text = new ByteArrayOutputStream();
    DemoOptions options =
        DemoOptions.parse("--once", "--stock=20", "--db", folder.resolve("kept").toString());

    int exit = Demo.once(options, new PrintStream(text, true, StandardCharsets.UTF_8), () -> false);

    assertThat(exit).isZero();
    assertThat(folder.resolve("kept/sale.mv.db")).isNotEmptyFile();
  }

  @Test
  void aDatabaseThatCannotBeUsedIsToldInOneLine(@TempDir Path folder) {
    assertThat(Demo.trouble("jdbc:postgresql://127.0.0.1:1/sale?user=sale&password=hidden"))
        .startsWith("cannot use the database jdbc:postgresql://127.0.0.1:1/sale")
        .contains("refused")
        .doesNotContain("hidden", "\n");
    assertThat(Demo.trouble("jdbc:h2:" + folder.resolve("fresh"))).isEmpty();
    assertThat(Demo.trouble(null)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "--port,             '--port needs a value'",
    "--port=99999,       '--port must be 0 to 65535: 99999'",
    "--instances=nine,   '--instances must be 1 to 8: nine'",
    "--concurrency=0,    '--concurrency must be 1 to 500: 0'",
    "--fast,             'unknown option --fast'",
    "now,                'unknown option now'"
  })
  void wrongOptionsAreToldTheRule(String option, String message) {
    assertThatThrownBy(() -> DemoOptions.parse(option))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }
}
