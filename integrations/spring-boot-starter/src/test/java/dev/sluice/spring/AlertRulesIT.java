package dev.sluice.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.servers.ServerProcess;
import dev.sluice.servers.SourceTree;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Prometheus reads the alert rules and the queries of the dashboard, and each alert fires. */
class AlertRulesIT {
  private static final Path GRAFANA = SourceTree.path("docs/grafana");
  private static final Pattern ALERT = Pattern.compile("alert: (\\w+)");
  private static final Pattern NAME = Pattern.compile("(?m)- name: (Sluice\\w+)$");

  @TempDir Path folder;

  @BeforeAll
  static void promtoolIsThere() {
    assumeTrue(
        ServerProcess.find("promtool").isPresent(),
        "Prometheus: promtool is not on the PATH (Debian: apt-get install prometheus)");
  }

  @Test
  void eachAlertFiresOnItsFaultAndNoneOnAHealthyApplication() throws Exception {
    String rules = Files.readString(GRAFANA.resolve("alerts.yaml"));
    String tests = Files.readString(GRAFANA.resolve("alerts.test.yaml"));
    assertThat(names(NAME, tests)).isEqualTo(names(ALERT, rules)).hasSizeGreaterThan(10);
    assertThat(promtool("test", GRAFANA.resolve("alerts.test.yaml"))).isEmpty();
  }

  @Test
  void alertThatNeverFiresIsFound() throws Exception {
    String rules = Files.readString(GRAFANA.resolve("alerts.yaml"));
    String deaf = rules.replace("outcome=\"lost\"", "outcome=\"missing\"");
    assertThat(deaf).isNotEqualTo(rules);
    Files.writeString(folder.resolve("alerts.yaml"), deaf);
    Path tests = Files.copy(GRAFANA.resolve("alerts.test.yaml"), folder.resolve("test.yaml"));
    assertThat(promtool("test", tests))
        .get()
        .asString()
        .contains("SluiceLeaseLost")
        .doesNotContain("SluiceLockErrors");
  }

  @Test
  void queriesOfTheDashboardAreValid() throws Exception {
    List<String> queries = new ArrayList<>();
    JsonNode dashboard =
        JsonMapper.shared().readTree(Files.readString(GRAFANA.resolve("sluice.json")));
    dashboard.findValues("expr").forEach(query -> queries.add(query.asString()));
    assertThat(queries).hasSizeGreaterThan(15);
    assertThat(promtool("check", recorded(queries))).isEmpty();
    assertThat(promtool("check", recorded(List.of("sum by (name) (rate(sluice_x[5m])"))))
        .get()
        .asString()
        .contains("unclosed left parenthesis");
  }

  /** A file of rules that record the queries, with values for the variables of Grafana. */
  private Path recorded(List<String> queries) throws IOException {
    StringBuilder rules = new StringBuilder("groups:\n  - name: dashboard\n    rules:\n");
    for (int i = 0; i < queries.size(); i++) {
      String query = queries.get(i).replace("$__rate_interval", "5m").replace("$", "");
      rules
          .append("      - record: query_" + i + "\n")
          .append("        expr: '" + query.replace("'", "''") + "'\n");
    }
    return Files.writeString(folder.resolve("dashboard.yaml"), rules);
  }

  private static List<String> names(Pattern pattern, String text) {
    return pattern.matcher(text).results().map((MatchResult found) -> found.group(1)).toList();
  }

  /** What it printed if it failed; empty if it succeeded. */
  private static Optional<String> promtool(String verb, Path rules) throws Exception {
    Process process =
        new ProcessBuilder(
                ServerProcess.find("promtool").orElseThrow().toString(),
                verb,
                "rules",
                rules.toString())
            .redirectErrorStream(true)
            .start();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return process.waitFor() == 0 ? Optional.empty() : Optional.of(printed);
  }
}
