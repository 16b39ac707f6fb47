package dev.sluice.build;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.servers.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The page of the public API names every type that a user can see, and no other. Every exception
 * among them is one of Sluice's or says that a call was wrong.
 */
class ApiPageTest {
  private static final String STARTER = "integrations/spring-boot-starter";

  private static final List<String> MODULES =
      List.of(
          "core",
          "cache",
          "stores/redis",
          "stores/jdbc",
          "stores/zookeeper",
          "integrations/micrometer",
          "integrations/shedlock",
          "integrations/spring-integration",
          STARTER,
          "testing/sluice-test",
          "tools/console");

  /** For authors of stores, or not exported to users. */
  private static final Set<String> NOT_FOR_USERS = Set.of("spi", "state", "internal");

  private static final Pattern PUBLIC_TYPE =
      Pattern.compile(
          "(?m)^public (?:(?:final|abstract|sealed|non-sealed) )*"
              + "(?:class|interface|record|enum|@interface) (\\w+)");

  /** A class that extends an exception, whoever can see it. */
  private static final Pattern EXCEPTION =
      Pattern.compile("class (\\w+) extends (\\w*(?:Exception|Error|Throwable))\\b");

  /** What an exception that users can see may extend: Sluice's own, or the JDK's for misuse. */
  private static final Set<String> PARENTS =
      Set.of(
          "SluiceException",
          "BackendException",
          "IllegalArgumentException",
          "IllegalStateException");

  private static final Pattern NULLABLE_ACCESSOR =
      Pattern.compile("(?m)^  (public )?(?:\\w+\\.)*@Nullable [\\w.<>?, ]+ (\\w+)\\(\\)");

  private static final Pattern LISTED = Pattern.compile("(?m)^\\| ((?:`\\w+`(?:, )?)+) \\|");
  private static final Pattern NAME = Pattern.compile("`(\\w+)`");

  @ParameterizedTest
  @ValueSource(strings = {"docs/api.md", "docs/zh/api.md"})
  void namesEveryPublicType(String page) throws IOException {
    assertThat(listed(Files.readString(SourceTree.path(page))))
        .isEqualTo(publicTypes())
        .hasSizeGreaterThan(100);
  }

  /** One that callers do not handle in a way of its own is a message, not a type. */
  @Test
  void exceptionsAreFewAndExtendOneBase() throws IOException {
    Set<String> listed = listed(Files.readString(SourceTree.path("docs/api.md")));
    Map<String, String> parents = new TreeMap<>();
    for (String source : sources()) {
      EXCEPTION
          .matcher(source)
          .results()
          .filter(found -> listed.contains(found.group(1)))
          .forEach(found -> parents.put(found.group(1), found.group(2)));
    }
    assertThat(parents.remove("SluiceException")).isEqualTo("RuntimeException");
    assertThat(parents.values()).isSubsetOf(PARENTS);
    assertThat(parents.keySet())
        .isEqualTo(
            listed.stream()
                .filter(name -> name.endsWith("Exception") && !name.equals("SluiceException"))
                .collect(Collectors.toCollection(TreeSet::new)))
        .hasSizeBetween(10, 12);
  }

  @Test
  void everyPublicTypeSaysSinceWhen() throws IOException {
    for (String source : sources()) {
      PUBLIC_TYPE
          .matcher(source)
          .results()
          .forEach(
              type ->
                  assertThat(source.substring(0, type.start()))
                      .as(type.group(1))
                      .contains("* @since "));
    }
  }

  /** A new option would change the constructor of a record, and so break its callers. */
  @Test
  void optionsAreNoRecordsAndHaveNoMethodsWithWith() throws IOException {
    for (String source : sources()) {
      assertThat(source)
          .doesNotContainPattern("(?m)^public record \\w*(?:Options|Policy|Spec|Settings)\\b")
          .doesNotContainPattern("public \\w+(?:<[^>]*>)? with[A-Z]\\w*\\(");
    }
  }

  @Test
  void accessorsReturnAnOptionalInsteadOfNull() throws IOException {
    List<String> found = new ArrayList<>();
    for (String source : sources()) {
      found.addAll(accessorsOfNull(source));
    }
    assertThat(found).isEmpty();
    assertThat(
            accessorsOfNull(
                """
                public final class Some {
                  public @Nullable Duration sticky() {
                  public LimitInfo.@Nullable Holder holder() {
                  public @Nullable String get(String key) {
                  @Nullable String namespace() {
                """))
        .containsExactly("sticky", "holder");
    assertThat(accessorsOfNull("public interface Some {\n  @Nullable Duration sticky();"))
        .containsExactly("sticky");
    assertThat(accessorsOfNull("final class Some {\n  public @Nullable String why() {")).isEmpty();
  }

  private static List<String> accessorsOfNull(String source) {
    if (!PUBLIC_TYPE.matcher(source).find()) {
      return List.of();
    }
    boolean allPublic = Pattern.compile("(?m)^public interface ").matcher(source).find();
    return NULLABLE_ACCESSOR
        .matcher(source)
        .results()
        .filter(found -> allPublic || found.group(1) != null)
        .map(found -> found.group(2))
        .toList();
  }

  private static Set<String> listed(String page) {
    return LISTED
        .matcher(page)
        .results()
        .flatMap(row -> NAME.matcher(row.group(1)).results())
        .map(name -> name.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> publicTypes() throws IOException {
    Set<String> types = new TreeSet<>();
    for (String source : sources()) {
      PUBLIC_TYPE
          .matcher(source)
          .results()
          .map((MatchResult found) -> found.group(1))
          .forEach(types::add);
    }
    return types;
  }

  private static List<String> sources() throws IOException {
    List<String> sources = new ArrayList<>();
    for (String module : MODULES) {
      Path all = SourceTree.path(module + "/src/main/java/dev/sluice");
      Path root = module.equals(STARTER) ? all.resolve("spring") : all;
      try (Stream<Path> files = Files.walk(root, 2)) { // the root package and the topics
        for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
          if (!NOT_FOR_USERS.contains(String.valueOf(file.getParent().getFileName()))) {
            sources.add(Files.readString(file));
          }
        }
      }
    }
    return sources;
  }
}
