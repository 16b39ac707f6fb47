package dev.sluice.redis.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Scripts are put together from fragments, each of which says what it needs. */
class ScriptTest {
  private final Map<String, String> files = new HashMap<>();

  @Test
  void aFragmentFindsWhatIsDeclaredBeforeIt() {
    files.put("a/verb", "local now, head = 1, 2\n-- include a/part.lua\nreturn sum()\n");
    files.put("a/part", "-- needs: head, now\nlocal function sum()\n  return now + head\nend\n");
    assertThat(Script.expand("a/verb", files::get))
        .startsWith("local now")
        .contains("local function sum()")
        .endsWith("return sum()\n");
  }

  @Test
  void aFragmentWithoutWhatItNeedsIsRefused() {
    files.put("a/part", "-- needs: now, head\nlocal sum = now + head\n");
    files.put("a/verb", "local now = 1\n-- include a/part.lua\nlocal head = 2\n");
    assertThatThrownBy(() -> Script.expand("a/verb", files::get))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("a/part.lua needs 'head', which nothing declares before its include");

    files.put("a/verb", "do\n  local now, head = 1, 2\nend\n-- include a/part.lua\n");
    assertThatThrownBy(() -> Script.expand("a/verb", files::get))
        .as("a name of a block")
        .hasMessageContaining("needs 'now'");
  }

  @Test
  void fragmentsSayAllThatTheyNeed() throws Exception {
    for (String file : files()) {
      for (String part : included(Script.read(file))) {
        assertThat(undeclared(Script.read(part))).as("used by %s.lua", part).isEmpty();
      }
    }
  }

  @Test
  void catchesAFragmentThatHidesANeed() throws Exception {
    String text = Script.read("limit/meter_log");
    String hidden = text.replace("-- needs: age, ceil,", "-- needs: age,");
    assertThat(hidden).isNotEqualTo(text);
    assertThat(undeclared(hidden)).containsExactly("ceil");
  }

  private static final Pattern TOP = Pattern.compile("(?m)^local (?:function )?(\\w+(?:, \\w+)*)");
  private static final Pattern INNER =
      Pattern.compile(
          "\\blocal (?!function )(\\w+(?:, \\w+)*)|\\bfor (\\w+(?:, \\w+)*)"
              + "|\\bfunction ?([\\w.]*)\\(([^)]*)\\)|^-- needs: (.+)$",
          Pattern.MULTILINE);
  private static final Pattern NO_CODE =
      Pattern.compile("--(?! needs: )[^\\n]*|\"[^\"\\n]*\"|'(?:\\\\.|[^'\\\\\\n])*'");

  /** Names that scripts declare, used here, and neither declared here nor needed. */
  private static List<String> undeclared(String text) throws Exception {
    TreeSet<String> used = new TreeSet<>();
    for (String other : files()) {
      used.addAll(names(TOP, Script.read(other)));
    }
    String code = NO_CODE.matcher(text).replaceAll("''");
    used.removeIf(
        name ->
            !Pattern.compile("(?<![\\w.:])" + name + "\\b(?! = [^\\n]*[,}])").matcher(code).find());
    used.removeAll(names(INNER, code));
    for (String part : included(text)) {
      used.removeAll(names(TOP, Script.expand(part, ScriptTest::withoutNeeds)));
    }
    return List.copyOf(used);
  }

  private static String withoutNeeds(String file) {
    return Script.read(file).replaceAll("(?m)^-- needs: .*\\n", "");
  }

  private static List<String> included(String text) {
    return Pattern.compile("(?m)^-- include ([\\w/]+)\\.lua$")
        .matcher(text)
        .results()
        .map(found -> found.group(1))
        .toList();
  }

  private static List<String> names(Pattern pattern, String text) {
    List<String> names = new ArrayList<>();
    pattern
        .matcher(text)
        .results()
        .forEach(
            found -> {
              for (int i = 1; i <= found.groupCount(); i++) {
                if (found.group(i) != null) {
                  names.addAll(List.of(found.group(i).split(", ")));
                }
              }
            });
    return names;
  }

  private static List<String> files() throws Exception {
    Path folder = Path.of(ScriptTest.class.getResource("/dev/sluice/redis/lua").toURI());
    try (Stream<Path> all = Files.walk(folder)) {
      return all.map(file -> folder.relativize(file).toString().replace('\\', '/'))
          .filter(file -> file.endsWith(".lua"))
          .map(file -> file.substring(0, file.length() - ".lua".length()))
          .sorted()
          .toList();
    }
  }
}
