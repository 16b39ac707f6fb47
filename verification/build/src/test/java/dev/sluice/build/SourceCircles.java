package dev.sluice.build;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Files that need each other, read from the sources: in class files the compiler has put constants
 * in the place of names, and imports do not show what one package shares.
 */
final class SourceCircles {
  static final Pattern NO_CODE =
      Pattern.compile(
          "(?s)/\\*.*?\\*/|//[^\\n]*"
              + "|\"\"\"[^\"\\\\]*+(?:(?:\\\\.|\"(?!\"\"))[^\"\\\\]*+)*+\"\"\""
              + "|\"(?:\\\\.|[^\"\\\\\\n])*\"|'(?:\\\\.|[^'\\\\\\n])+'");
  private static final Pattern PACKAGE = Pattern.compile("(?m)^package ([\\w.]+);");
  static final Pattern IMPORT = Pattern.compile("(?m)^import (?:static )?([\\w.]+)[;.*]*");
  private static final Pattern TYPE = Pattern.compile("(?<![.\\w])[A-Z]\\w*");

  private SourceCircles() {}

  private record Source(String type, String room, Set<String> imports, Set<String> types) {
    static Source of(Path file) {
      try {
        String code = NO_CODE.matcher(Files.readString(file)).replaceAll(" ");
        return new Source(
            file.getFileName().toString().replace(".java", ""),
            PACKAGE.matcher(code).results().findFirst().map(found -> found.group(1)).orElse(""),
            IMPORT.matcher(code).results().map(found -> found.group(1)).collect(Collectors.toSet()),
            TYPE.matcher(code).results().map(found -> found.group()).collect(Collectors.toSet()));
      } catch (IOException e) {
        throw new java.io.UncheckedIOException(e);
      }
    }

    String name() {
      return room + "." + type;
    }

    boolean uses(Source other) {
      return room.equals(other.room)
          ? types.contains(other.type)
          : imports.stream()
              .anyMatch(name -> name.equals(other.name()) || name.startsWith(other.name() + "."));
    }
  }

  /**
   * {@return the circles of a source folder, each as the simple names of its files in order}
   *
   * @param folder with the sources of a module
   */
  static Set<List<String>> of(Path folder) throws IOException {
    List<Source> sources;
    try (Stream<Path> files = Files.walk(folder)) {
      sources =
          files
              .filter(file -> file.toString().endsWith(".java"))
              .filter(file -> !file.getFileName().toString().contains("-info"))
              .map(Source::of)
              .toList();
    }
    Map<Source, List<Source>> uses = new HashMap<>();
    Map<Source, List<Source>> usedBy = new HashMap<>();
    for (Source from : sources) {
      for (Source to : sources) {
        if (from != to && from.uses(to)) {
          uses.computeIfAbsent(from, none -> new ArrayList<>()).add(to);
          usedBy.computeIfAbsent(to, none -> new ArrayList<>()).add(from);
        }
      }
    }
    Map<Set<Source>, List<String>> circles = new HashMap<>();
    for (Source each : sources) {
      Set<Source> circle = reached(each, uses);
      circle.retainAll(reached(each, usedBy));
      if (circle.size() > 1) {
        circles.put(circle, names(circle));
      }
    }
    return new HashSet<>(circles.values());
  }

  private static List<String> names(Collection<Source> sources) {
    return List.copyOf(
        sources.stream().map(Source::type).collect(Collectors.toCollection(TreeSet::new)));
  }

  private static Set<Source> reached(Source start, Map<Source, List<Source>> arrows) {
    Set<Source> reached = new HashSet<>(List.of(start));
    Deque<Source> next = new ArrayDeque<>(reached);
    while (!next.isEmpty()) {
      for (Source each : arrows.getOrDefault(next.removeFirst(), List.of())) {
        if (reached.add(each)) {
          next.addLast(each);
        }
      }
    }
    return reached;
  }

  /**
   * Reads a list of circles that are allowed: a module, the names of the files, a bar, a reason.
   *
   * @return by module, the reason for each circle
   * @throws IllegalArgumentException if a line has no reason
   */
  static Map<String, Map<List<String>, String>> allowed(List<String> lines) {
    Map<String, Map<List<String>, String>> allowed = new TreeMap<>();
    for (String line : lines) {
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      String[] parts = line.split(" \\| ", 2);
      if (parts.length < 2 || parts[1].isBlank()) {
        throw new IllegalArgumentException("a circle without a reason: " + line);
      }
      List<String> words = List.of(parts[0].split(" "));
      allowed
          .computeIfAbsent(words.get(0), none -> new HashMap<>())
          .put(words.subList(1, words.size()), parts[1]);
    }
    return allowed;
  }
}
