package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.servers.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** The pages name every command and option, and no option that does not exist. */
class DocumentedOptionsTest {
  private static final List<String> PAGES =
      List.of("cli.md", "bloom.md", "inventory.md", "limits.md");
  private static final Pattern CODE = Pattern.compile("(?s)```.*?```|`[^`\n]+`");
  private static final Pattern OPTION = Pattern.compile("(?<![\\w-])--[a-z][a-z-]*");

  @ParameterizedTest
  @ValueSource(strings = {"docs", "docs/zh"})
  void everyCommandAndOptionIsOnAPage(String folder) throws IOException {
    StringBuilder text = new StringBuilder();
    try (Stream<Path> pages = Files.list(SourceTree.path(folder))) {
      for (Path page : pages.filter(each -> each.toString().endsWith(".md")).toList()) {
        text.append(Files.readString(page)).append('\n');
      }
    }
    Set<String> all = new TreeSet<>();
    commands().forEach(command -> all.add(command.getCommandSpec().qualifiedName()));
    all.addAll(options());

    assertThat(all).hasSizeGreaterThan(40).contains("sluice limit set", "--allow-writes");
    assertThat(unnamed(all, text.toString())).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"docs", "docs/zh"})
  void noPageNamesAnOptionThatDoesNotExist(String folder) throws IOException {
    for (String page : PAGES) {
      String text = Files.readString(SourceTree.path(folder).resolve(page));
      assertThat(unknown(options(), text)).as(page).isEmpty();
    }
  }

  @Test
  void anOptionOfOneSideIsNoticed() {
    String page = "`sluice ls --limit 3`, --silent\n```\n$ sluice ls --limits 3\n```\n";

    assertThat(unnamed(Set.of("--limit", "--json", "sluice l"), page))
        .containsExactlyInAnyOrder("--json", "sluice l");
    assertThat(unknown(Set.of("--limit"), page)).containsExactly("--limits");
  }

  private static List<CommandLine> commands() {
    List<CommandLine> all = new ArrayList<>(List.of(Main.commandLine()));
    for (int i = 0; i < all.size(); i++) {
      all.addAll(Set.copyOf(all.get(i).getSubcommands().values()));
    }
    return all;
  }

  private static Set<String> options() {
    Set<String> names = new TreeSet<>();
    commands()
        .forEach(
            command ->
                command
                    .getCommandSpec()
                    .options()
                    .forEach(option -> names.add(option.longestName())));
    return names;
  }

  private static List<String> unnamed(Set<String> names, String text) {
    return names.stream()
        .filter(name -> !Pattern.compile(Pattern.quote(name) + "(?![a-z-])").matcher(text).find())
        .toList();
  }

  private static Set<String> unknown(Set<String> options, String text) {
    Set<String> found = new TreeSet<>();
    for (MatchResult code : CODE.matcher(text).results().toList()) {
      OPTION.matcher(code.group()).results().forEach(option -> found.add(option.group()));
    }
    found.removeAll(options);
    return found;
  }
}
