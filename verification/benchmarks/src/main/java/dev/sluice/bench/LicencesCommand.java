package dev.sluice.bench;

import dev.sluice.bench.licences.Component;
import dev.sluice.bench.licences.Licences;
import dev.sluice.bench.report.BenchReport;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./sluice bench licences}: which licences the published modules bring along. */
@Command(
    name = "licences",
    description = {
      "Reads the bill of materials (./mvnw -Psbom -Dmaven.test.skip=true package), writes the table",
      "of docs/results/licences.md, and fails when there is a licence that must not be shipped."
    },
    mixinStandardHelpOptions = true)
final class LicencesCommand implements Callable<Integer> {
  @Option(names = "--bom", paramLabel = "FILE", description = "What to read: target/bom.json.")
  private @Nullable Path bom;

  @Option(names = "--check", description = "Only look; write nothing.")
  private boolean check;

  @Override
  public Integer call() throws Exception {
    Path home = ChapterCommand.home();
    Path from = bom == null ? home.resolve("target/bom.json") : bom;
    if (!Files.exists(from)) {
      throw new IllegalArgumentException(
          "there is no " + from + ": make it with ./mvnw -Psbom -Dmaven.test.skip=true package");
    }
    List<Component> found = Licences.read(from);
    List<Component> refused = Licences.refused(found);
    if (!check) {
      BenchReport.place(
          home.resolve("docs/results/licences.md"), "licences", Licences.table(found));
    }
    for (Component each : refused) {
      System.out.println("must not be shipped: " + each);
    }
    System.out.println(found.size() + " libraries, " + refused.size() + " of them refused");
    return refused.isEmpty() ? 0 : 1;
  }
}
