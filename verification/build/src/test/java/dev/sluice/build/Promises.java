package dev.sluice.build;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** The promises of {@code docs/promises.yaml}, and the tables in which the pages show them. */
final class Promises {
  static final String FILE = "docs/promises.yaml";

  /** The region that shows every promise that has a row in the form of its page. */
  private static final String ALL = "all";

  private static final Pattern REGION =
      Pattern.compile("(?s)(<!-- promises: ([a-z ]+) -->\n)(.*?)(<!-- end of promises: \\2 -->\n)");

  /** A language of the pages: its key in the file, and what separates two sentences. */
  enum Language {
    EN("en", " "),
    ZH("zh", "");

    private final String key;
    private final String space;

    Language(String key, String space) {
      this.key = key;
      this.space = space;
    }
  }

  /** The columns of a table of promises, by its head in English and in Chinese. */
  enum Form {
    TITLED("| | promise | condition | not promised |", "| | 承诺 | 条件 | 不承诺 |"),
    UNTITLED("| promised | condition | not promised |", "| 承诺 | 条件 | 不承诺 |"),
    SHORT("| Guaranteed | Conditions | Not guaranteed |", "| 承诺 | 成立条件 | 不承诺 |"),
    CHECKED("| promise | what the checker requires |", "| 承诺 | 检查器要求什么 |"),
    PROOF("| promise | tests | planted, and found by | run |", "| 承诺 | 测试 | 植入的故障，由谁发现 | 运行 |");

    private final Map<Language, String> head;

    Form(String english, String chinese) {
      head = Map.of(Language.EN, english, Language.ZH, chinese);
    }
  }

  /** A page with regions, and the form of their tables. */
  record Page(String file, Language language, Form form) {}

  private record Statement(Text promise, Text condition, Text notPromised) {
    Stream<Text> cells() {
      return Stream.of(promise, condition, notPromised);
    }
  }

  private record Proof(Text title, Text tests, Text planted, String command) {}

  private record Promise(
      String id, Text title, Statement full, Statement brief, Text checked, List<Proof> proofs) {
    /** Returns the cells of its rows in a table of that form. */
    List<List<Text>> rows(Form form) {
      return switch (form) {
        case TITLED -> stated() && !title.isEmpty() ? List.of(named(full.cells())) : List.of();
        case UNTITLED -> stated() && title.isEmpty() ? List.of(full.cells().toList()) : List.of();
        case SHORT -> brief.promise.isEmpty() ? List.of() : List.of(brief.cells().toList());
        case CHECKED -> checked.isEmpty() ? List.of() : List.of(named(Stream.of(checked)));
        case PROOF -> proofs.stream().map(this::row).toList();
      };
    }

    private boolean stated() {
      return !full.promise.isEmpty();
    }

    private List<Text> row(Proof proof) {
      Text name = proof.title.isEmpty() ? title : proof.title;
      return List.of(name.after(id), proof.tests, proof.planted, Text.same(proof.command));
    }

    private List<Text> named(Stream<Text> cells) {
      return Stream.concat(Stream.of(title.after(id)), cells).toList();
    }
  }

  private record Text(Map<Language, String> in) {
    static final Text NONE = same("");

    static Text same(String text) {
      return new Text(Map.of(Language.EN, text, Language.ZH, text));
    }

    boolean isEmpty() {
      return equals(NONE);
    }

    Text after(String id) {
      String start = id.isEmpty() ? "" : "**" + id + "** ";
      return new Text(
          Map.of(
              Language.EN, start + in.get(Language.EN), Language.ZH, start + in.get(Language.ZH)));
    }
  }

  private final Map<String, List<Promise>> groups = new LinkedHashMap<>();

  /**
   * Reads the file below a root.
   *
   * @throws IllegalArgumentException if a field is unknown, or a text lacks a language
   */
  Promises(Path root) throws IOException {
    LoaderOptions options = new LoaderOptions();
    options.setAllowDuplicateKeys(false);
    try (Reader reader = Files.newBufferedReader(root.resolve(FILE))) {
      Map<String, List<Map<String, Object>>> read =
          new Yaml(new SafeConstructor(options)).load(reader);
      read.forEach((group, all) -> groups.put(group, all.stream().map(Promises::promise).toList()));
    }
  }

  private static Promise promise(Map<String, Object> fields) {
    Object id = fields.remove("id");
    Promise read =
        new Promise(
            id == null ? "" : id.toString(),
            text(fields, "title"),
            statement(fields),
            statement(maps(fields, "short").findFirst().orElseGet(LinkedHashMap::new)),
            text(fields, "torture"),
            maps(fields, "proof").map(Promises::proof).toList());
    return checked(read, fields);
  }

  private static Statement statement(Map<String, Object> fields) {
    return new Statement(
        text(fields, "promise"), text(fields, "condition"), text(fields, "not promised"));
  }

  private static Proof proof(Map<String, Object> fields) {
    Text planted = text(fields, "planted");
    Text none = new Text(Map.of(Language.EN, "none", Language.ZH, "没有"));
    Proof read =
        new Proof(
            text(fields, "title"),
            text(fields, "tests"),
            planted.isEmpty() ? none : planted,
            "`prove %s '%s'`".formatted(fields.remove("modules"), fields.remove("run")));
    return checked(read, fields);
  }

  private static <T> T checked(T read, Map<String, Object> left) {
    if (!left.isEmpty()) {
      throw new IllegalArgumentException("unknown fields " + left.keySet() + " of " + read);
    }
    return read;
  }

  @SuppressWarnings("unchecked")
  private static Stream<Map<String, Object>> maps(Map<String, Object> fields, String key) {
    Object value = fields.remove(key);
    if (value == null) {
      return Stream.empty();
    }
    return value instanceof List<?> list
        ? list.stream().map(each -> (Map<String, Object>) each)
        : Stream.of((Map<String, Object>) value);
  }

  /** Takes a field: a text in both languages, or a list of names that are the same in both. */
  private static Text text(Map<String, Object> fields, String key) {
    Object value = fields.remove(key);
    if (value == null) {
      return Text.NONE;
    }
    if (value instanceof List<?> names) {
      return Text.same(
          names.stream().map(name -> "`" + name + "`").collect(Collectors.joining(", ")));
    }
    if (!(value instanceof Map<?, ?> both) || !both.keySet().equals(Set.of("en", "zh"))) {
      throw new IllegalArgumentException(key + " must have en and zh, or be a list: " + value);
    }
    Map<Language, String> in = new LinkedHashMap<>();
    for (Language each : Language.values()) {
      in.put(each, both.get(each.key).toString().strip().replace("\n", each.space));
    }
    return new Text(in);
  }

  /** Returns what is wrong with the file, apart from its form: ids used twice, missing proofs. */
  List<String> faults() {
    List<String> found = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    for (Promise each : promises(ALL).toList()) {
      String name = each.title.after(each.id).in.get(Language.EN);
      if (!each.id.isEmpty() && !seen.add(each.id)) {
        found.add(FILE + " has " + each.id + " twice");
      }
      if (!each.id.isEmpty() && each.proofs.isEmpty()) {
        found.add(FILE + " has no proof of " + name);
      }
      if (each.proofs.stream().anyMatch(proof -> proof.tests.isEmpty())) {
        found.add(FILE + " has a proof without tests of " + name);
      }
    }
    return found;
  }

  /** Returns the ids of all promises. */
  Set<String> ids() {
    return promises(ALL).map(Promise::id).filter(id -> !id.isEmpty()).collect(Collectors.toSet());
  }

  /** Returns the groups that have rows in that form. */
  Set<String> groups(Form form) {
    return groups.keySet().stream()
        .filter(group -> !table(form, Language.EN, group).isEmpty())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Returns the groups that a text shows in its regions. */
  Set<String> shown(String text) {
    Set<String> shown = new TreeSet<>();
    for (Matcher region = REGION.matcher(text); region.find(); ) {
      shown.addAll(region.group(2).equals(ALL) ? groups.keySet() : Set.of(region.group(2)));
    }
    return shown;
  }

  /** Returns the text of a page with its regions rendered. */
  String rendered(Page page, String text) {
    return REGION
        .matcher(text)
        .replaceAll(
            region ->
                Matcher.quoteReplacement(
                    region.group(1)
                        + table(page.form, page.language, region.group(2))
                        + region.group(4)));
  }

  /** Returns a text without its regions. */
  static String outside(String text) {
    return REGION.matcher(text).replaceAll("");
  }

  /** Returns a table of the promises of a group, empty if none of them has a row. */
  private String table(Form form, Language language, String group) {
    String head = form.head.get(language) + "\n";
    String line = "|---".repeat(head.split("\\|").length - 2) + "|\n";
    String rows =
        promises(group)
            .flatMap(promise -> promise.rows(form).stream())
            .map(row -> row.stream().map(cell -> cell.in.get(language)))
            .map(row -> row.map(cell -> cell.isEmpty() ? " |" : " " + cell + " |"))
            .map(row -> row.collect(Collectors.joining("", "|", "\n")))
            .collect(Collectors.joining());
    return rows.isEmpty() ? "" : head + line + rows;
  }

  private Stream<Promise> promises(String group) {
    return groups.entrySet().stream()
        .filter(each -> group.equals(ALL) || group.equals(each.getKey()))
        .flatMap(each -> each.getValue().stream());
  }
}
