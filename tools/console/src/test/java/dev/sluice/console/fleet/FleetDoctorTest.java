package dev.sluice.console.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Finding;
import dev.sluice.Sluice;
import dev.sluice.console.Asked;
import dev.sluice.console.Console;
import dev.sluice.console.http.ConsoleResponse;
import dev.sluice.memory.MemoryBackend;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Findings from the figures of several processes. */
class FleetDoctorTest {
  private static final String TEN = "{\"n\":\"api\",\"p\":[\"gcra 10/1s burst 5\"],\"ver\":1}";
  private static final String TWENTY = TEN.replace("10", "20");

  private final Map<String, String> reports = new TreeMap<>();

  private void report(String process, String... limiters) {
    reports.put(
        process,
        "{\"v\":1,\"process\":\""
            + process
            + "\",\"host\":\"h\",\"limiters\":["
            + String.join(",", limiters)
            + "]}");
  }

  private List<Finding> found() {
    return FleetDoctor.examine("here", reports);
  }

  @Test
  void twoPoliciesOfOneVersionAreFoundWithTheirProcesses() {
    report("orders-1", TEN);
    report("orders-2", TWENTY);
    assertThat(found())
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.severity()).isEqualTo(Finding.Severity.WARNING);
              assertThat(finding.id()).isEqualTo("limiter-policies");
              assertThat(finding.what())
                  .isEqualTo(
                      "limiter 'api' has 2 policies of version 1: gcra 10/1s burst 5 (orders-1 at"
                          + " h); gcra 20/1s burst 5 (orders-2 at h)");
            });
  }

  @Test
  void alsoThoseOfOneProcess() {
    report("orders-1", TEN, TWENTY);
    assertThat(found()).hasSize(1);
  }

  @Test
  void anotherVersionIsAChangeAndNoFinding() {
    report("orders-1", TEN);
    report("orders-2", TWENTY.replace("\"ver\":1", "\"ver\":2"));
    report("orders-3", TEN);
    assertThat(found()).isEmpty();
  }

  @Test
  void whatIsNoReportIsPassedOver() {
    reports.put("a", "nonsense");
    reports.put("b", "{\"v\":7}");
    report("c", "{}", "7");
    assertThat(found()).isEmpty();
  }

  @Test
  void theConsoleShowsItAmongTheFindings() {
    report("orders-1", TEN);
    report("orders-2", TWENTY);
    MemoryBackend store = new MemoryBackend();
    reports.forEach(
        (client, report) ->
            store
                .notes()
                .put(PresenceBoards.REPORT, client, report, 60_000_000)
                .toCompletableFuture()
                .join());
    try (Sluice sluice = Sluice.builder().backend(store).build();
        Console console = Console.builder(sluice).build()) {
      ConsoleResponse stream = Asked.get("/api/stream?page=overview").of(console);
      assertThat(Asked.receive(stream, "limiter-policies")).contains("limiter-policies");
    }
  }
}
