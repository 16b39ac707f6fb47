package dev.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.bench.chapter.Chapter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class PlanTest {

  @Test
  void everyChapterHasATurn() {
    Set<String> chapters = new HashSet<>();
    for (CommandLine command : BenchMain.commandLine().getSubcommands().values()) {
      if (command.getCommand() instanceof ReportCommand report) {
        chapters.add(report.chapter());
      }
    }
    chapters.removeAll(Plan.ALONE);

    assertThat(Plan.chapters()).containsExactlyInAnyOrderElementsOf(chapters);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theSharesAreAllOfTheTimeAndTheCommandsKnowTheirWords(boolean quick) {
    List<Plan.Part> parts = Plan.of(quick, 12, Plan.chapters());

    assertThat(parts.stream().mapToDouble(Plan.Part::minutes).sum()).isCloseTo(12, within(1e-9));
    for (Plan.Part part : parts) {
      CommandLine bench = BenchMain.commandLine();
      bench.parseArgs(part.words().toArray(new String[0]));
      CommandLine command = bench.getParseResult().subcommand().commandSpec().commandLine();
      assertThat(((ReportCommand) command.getCommand()).chapter()).isEqualTo(part.chapter());
      if (command.getCommand() instanceof ChapterCommand chapter) {
        List<String> only = only(part.words());
        assertThat(only.isEmpty()).as(part.chapter()).isEqualTo(!quick);
        assertThat(Chapter.ids(chapter.workloads(), only)).hasSizeGreaterThanOrEqualTo(only.size());
      }
    }
  }

  @Test
  void aFewChaptersHaveTheTimeThatTheyHaveAmongAll() {
    double among =
        Plan.of(false, 30, Plan.chapters()).stream()
            .filter(part -> part.chapter().equals("bloom"))
            .findFirst()
            .orElseThrow()
            .minutes();

    assertThat(Plan.of(false, 30, List.of("bloom")))
        .singleElement()
        .extracting(Plan.Part::minutes)
        .isEqualTo(among);
  }

  @Test
  void whatIsMissingIsToldAndLeavesNothingOld(@TempDir Path folder) throws Exception {
    Path old = Files.writeString(folder.resolve("flash-sale.json"), "{}");
    // the tests have no sample on their class path
    CommandLine all = BenchMain.commandLine();

    assertThat(all.execute("all", "flash-sale", "--out", folder.toString())).isZero();

    AllCommand command = all.getSubcommands().get("all").getCommand();
    assertThat(command.ended())
        .containsExactly(
            "flash-sale: SKIPPED, the sample is not built; start it with ./sluice bench");
    assertThat(old).doesNotExist();
  }

  @Test
  void badInputIsRefused() {
    assertThat(BenchMain.commandLine().execute("all", "nope")).isEqualTo(2);
    assertThat(BenchMain.commandLine().execute("all", "--minutes", "0.5")).isEqualTo(2);
    assertThat(BenchMain.commandLine().execute("all", "--minutes", "NaN")).isEqualTo(2);
    assertThat(BenchMain.commandLine().execute("locks", "--minutes", "-1")).isEqualTo(2);
  }

  private static List<String> only(List<String> words) {
    return IntStream.range(1, words.size())
        .filter(i -> words.get(i - 1).equals("--only"))
        .mapToObj(words::get)
        .toList();
  }
}
