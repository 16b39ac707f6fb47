package dev.sluice.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.console.fleet.FleetDoctor;
import dev.sluice.console.http.Assets;
import dev.sluice.console.http.ConsoleRequest;
import dev.sluice.console.http.Json;
import dev.sluice.console.store.Page;
import dev.sluice.console.store.WaitCircles;
import dev.sluice.servers.SourceTree;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The files of the page: their size, their words, and whose they are. */
class PageFilesTest {
  private static final Path PAGE = Path.of("src/main/resources/dev/sluice/console/page");
  private static final Path SOURCES = Path.of("src/main/java/dev/sluice/console");
  private static final long MAX_BYTES = 220_000;
  private static final long MAX_BYTES_ON_THE_WIRE = 85_000;

  private static String read(Path file) {
    try {
      return Files.readString(file, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<Path> files(Path folder, String end) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(Files::isRegularFile).filter(f -> f.toString().endsWith(end)).toList();
    }
  }

  private static Map<String, Object> words(String language) {
    return Json.object(read(PAGE.resolve("i18n/" + language + ".json")));
  }

  private static Set<String> all(String text, String pattern) {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    Set<String> found = new TreeSet<>();
    while (matcher.find()) {
      found.add(matcher.group(1));
    }
    return found;
  }

  private static String modules() throws IOException {
    return files(PAGE.resolve("app"), ".js").stream()
        .map(PageFilesTest::read)
        .collect(Collectors.joining("\n"));
  }

  @Test
  void allOfItIsSmallerThanPromised() throws IOException {
    Assets assets = new Assets();
    long bytes = 0;
    long sent = 0;
    for (String file : Assets.FILES) {
      bytes += Files.size(PAGE.resolve(file));
      sent += assets.answer(asking("/" + file)).body().length;
    }
    assertThat(bytes).isBetween(50_000L, MAX_BYTES);
    assertThat(sent).isBetween(20_000L, MAX_BYTES_ON_THE_WIRE);
  }

  /** As a browser asks. */
  private static ConsoleRequest asking(String path) {
    return new ConsoleRequest(
        "GET",
        path,
        null,
        name -> name.equals("Accept-Encoding") ? "gzip" : null,
        InputStream.nullInputStream(),
        null);
  }

  @Test
  void everyFileIsServedOrExplainsOne() throws IOException {
    Set<String> there =
        files(PAGE, "").stream()
            .map(file -> PAGE.relativize(file).toString().replace('\\', '/'))
            .filter(file -> !file.contains("LICENSE") && !file.endsWith(".md"))
            .collect(Collectors.toSet());
    assertThat(there).containsExactlyInAnyOrderElementsOf(Assets.FILES);
  }

  @Test
  void bothLanguagesSayTheSameThings() {
    Map<String, Object> english = words("en");
    Map<String, Object> chinese = words("zh-CN");
    assertThat(chinese.keySet()).isEqualTo(english.keySet());
    english.forEach(
        (key, text) ->
            assertThat(all(chinese.get(key).toString(), "\\{(\\w+)}"))
                .as(key)
                .isEqualTo(all(text.toString(), "\\{(\\w+)}")));
    assertThat(chinese.values()).noneMatch(text -> text.toString().isBlank());
  }

  /** The page says in Chinese what the table of the doctor says. */
  @Test
  void findingsInChineseAreThoseOfTheDocumentation() {
    Map<String, Object> kinds = Json.object(read(PAGE.resolve("i18n/findings.zh-CN.json")));
    String text = read(SourceTree.path("docs/zh/doctor.md"));
    List<String> tables =
        Pattern.compile("(?m)(^\\| `unreachable`.*\\R(?:^\\|.*\\R)+)")
            .matcher(text)
            .results()
            .map(table -> table.group(1))
            .toList();
    assertThat(tables).hasSize(3);
    List<String> order = List.of("redis", "sql", "zookeeper");
    for (int i = 0; i < order.size(); i++) {
      Map<String, Object> said =
          Json.objects(Map.of("kind", List.of(kinds.get(order.get(i)))), "kind", 1).get(0);
      Map<String, List<String>> expected = new LinkedHashMap<>();
      for (String row : tables.get(i).split("\\R")) {
        String[] cells = row.substring(2, row.length() - 2).split(" \\| ", -1);
        for (String id : all(cells[0], "`([a-z0-9-]+)`")) {
          expected.merge(
              id,
              List.of(plain(cells[2]), plain(cells[3])),
              (a, b) -> List.of(a.get(0) + "；或：" + b.get(0), a.get(1) + "；或：" + b.get(1)));
        }
      }
      assertThat(said).as(order.get(i)).isEqualTo(expected);
    }
    assertThat(kinds.get("console").toString()).contains(WaitCircles.ID, FleetDoctor.ID);
  }

  private static String plain(String cell) {
    return cell.replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1").replace("`", "").trim();
  }

  @Test
  void everyWordThatThePageUsesIsThereAndNoOther() throws IOException {
    String modules = modules();
    Set<String> used = all(modules, "\\bt\\(\\s*'([^']+)'");
    Set<String> beginnings = all(modules, "\\bt\\(\\s*`([a-z.-]+)\\$\\{");
    Set<String> known = words("en").keySet();
    assertThat(used).isNotEmpty().isSubsetOf(known);
    assertThat(beginnings).isNotEmpty();
    assertThat(beginnings)
        .allMatch(beginning -> known.stream().anyMatch(key -> key.startsWith(beginning)));
    assertThat(known)
        .allMatch(key -> used.contains(key) || beginnings.stream().anyMatch(key::startsWith));
  }

  @Test
  void everyEventThatIsNotedHasASentence() throws IOException {
    Set<String> kinds = new TreeSet<>();
    for (Path file : files(SOURCES, ".java")) {
      String text = read(file).replaceAll("\\s+", " ");
      kinds.addAll(all(text, "events\\.add\\( ?(?:[^,]+), \"([a-z.]+)\""));
    }
    assertThat(kinds).contains("lock.lost", "store.away", "finding.new", "cache.stale");
    assertThat(kinds).allMatch(kind -> words("en").containsKey("event." + kind));
  }

  @Test
  void everyPageHasAName() {
    for (Page page : Page.values()) {
      assertThat(words("en")).containsKey("nav." + page.word());
    }
  }

  @Test
  void nothingIsFetchedFromElsewhereAndNothingIsInline() throws IOException {
    String index = read(PAGE.resolve("index.html"));
    assertThat(all(index, "(?:src|href)=\"([^\"]+)\""))
        .isNotEmpty()
        .allMatch(place -> Files.exists(PAGE.resolve(place)));
    assertThat(index)
        .doesNotContain("<style")
        .doesNotContain(" style=")
        .doesNotContainPattern(" on\\w+=");
    assertThat(
            index
                .replaceAll("<script src=\"[^\"]+\"( defer)?></script>", "")
                .replaceAll("<script type=\"module\" src=\"[^\"]+\"></script>", ""))
        .doesNotContain("<script");
    String own = modules() + read(PAGE.resolve("style.css"));
    assertThat(own).doesNotContain("http:").doesNotContain("https:").doesNotContain("@import url");
  }

  @Test
  void whatOthersMadeIsAsItsListSays() throws Exception {
    Path vendor = PAGE.resolve("vendor");
    Matcher rows =
        Pattern.compile("(?m)^\\| `([^`]+)` .*`([0-9a-f]{64})` \\|$")
            .matcher(read(vendor.resolve("README.md")));
    Set<String> listed = new TreeSet<>();
    while (rows.find()) {
      listed.add(rows.group(1));
      byte[] bytes = Files.readAllBytes(vendor.resolve(rows.group(1)));
      assertThat(HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes)))
          .as(rows.group(1))
          .isEqualTo(rows.group(2));
    }
    assertThat(listed)
        .isEqualTo(
            Assets.FILES.stream()
                .filter(file -> file.startsWith("vendor/"))
                .map(file -> file.substring("vendor/".length()))
                .collect(Collectors.toCollection(TreeSet::new)));
  }
}
