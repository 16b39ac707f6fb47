package dev.sluice.bench.licences;

import dev.sluice.bench.report.MarkdownTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.jr.ob.JSON;

/** Reads a bill of materials and judges what is in it. */
public final class Licences {
  /** Licences that ask for no more than a notice. */
  static final Set<String> PERMISSIVE =
      Set.of(
          "Apache-2.0", "MIT", "MIT-0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "CC0-1.0", "0BSD");

  /**
   * Libraries under the EPL, which is not permissive: a distributor that changes them must publish
   * the change. Sluice does not change them, and they are separate libraries, in none of its jars.
   */
  static final Map<String, String> EXCEPTIONS =
      Map.of(
          "org.junit.", "of the test kits, for tests",
          "org.junit:", "of the test kits, for tests",
          "ch.qos.logback:", "Spring Boot's logging; an application may exclude it",
          "jakarta.annotation:", "Spring Boot's",
          "org.aspectj:", "optional, with Spring's aspects");

  private static final Set<String> EXCEPTED = Set.of("EPL-2.0");

  private Licences() {}

  /**
   * Reads what CycloneDX wrote.
   *
   * @param bom a file in JSON
   * @return what is not ours, by name
   * @throws IOException if it cannot be read
   */
  public static List<Component> read(Path bom) throws IOException {
    List<Component> found = new ArrayList<>();
    Map<String, Object> root = JSON.std.mapFrom(Files.readString(bom));
    for (Map<?, ?> each : objects(root.get("components"))) {
      if (!"dev.sluice".equals(each.get("group"))) {
        found.add(
            new Component(
                (each.get("group") == null ? "npm" : each.get("group")) + ":" + each.get("name"),
                String.valueOf(each.get("version")),
                licences(each)));
      }
    }
    found.sort(Comparator.comparing(Component::id));
    return found;
  }

  private static List<String> licences(Map<?, ?> component) {
    List<String> names = new ArrayList<>();
    for (Map<?, ?> each : objects(component.get("licenses"))) {
      if (each.get("license") instanceof Map<?, ?> licence) {
        Object id = licence.get("id");
        names.add(String.valueOf(id != null ? id : licence.get("name")));
      } else {
        names.add(String.valueOf(each.get("expression")));
      }
    }
    return names;
  }

  private static List<Map<?, ?>> objects(@Nullable Object list) {
    List<Map<?, ?>> objects = new ArrayList<>();
    if (list instanceof List<?> all) {
      for (Object each : all) {
        if (each instanceof Map<?, ?> object) {
          objects.add(object);
        }
      }
    }
    return objects;
  }

  /** {@return whether a library may be shipped} */
  static boolean isAllowed(Component component) {
    return component.licences().stream()
        .anyMatch(
            licence ->
                PERMISSIVE.contains(licence)
                    || (EXCEPTED.contains(licence) && !reason(component).isEmpty()));
  }

  /**
   * Why a library is allowed although its licence is not permissive; empty if it is no exception.
   */
  static String reason(Component component) {
    if (component.licences().stream().anyMatch(PERMISSIVE::contains)) {
      return "";
    }
    return EXCEPTIONS.entrySet().stream()
        .filter(exception -> component.id().startsWith(exception.getKey()))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse("");
  }

  /** {@return those that must not be shipped} */
  public static List<Component> refused(List<Component> components) {
    return components.stream().filter(each -> !isAllowed(each)).toList();
  }

  /** {@return all of them as a table} */
  public static String table(List<Component> components) {
    MarkdownTable table = new MarkdownTable("library", "version", "licence", "exception");
    for (Component each : components) {
      table.row(each.id(), each.version(), String.join(" or ", each.licences()), reason(each));
    }
    return table.toString();
  }
}
