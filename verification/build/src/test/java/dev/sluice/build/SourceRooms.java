package dev.sluice.build;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The packages of some source folders: which of them use which, how large they are, and what they
 * say about themselves. It reads sources, as {@link SourceCircles} does.
 */
final class SourceRooms {
  private static final Pattern FULL_NAME = Pattern.compile("\\bdev(?:\\.[a-z]\\w*)+\\.[A-Z]\\w*");
  private static final Pattern FIRST_SENTENCE =
      Pattern.compile("(?s)/\\*\\*[\\s*]*([^.]+(?:\\.\\S[^.]*)*)\\.(?:\\s|$|\\*)");

  private static final Pattern TYPE_DOCUMENTATION =
      Pattern.compile(
          "/\\*\\*[\\s*]*([^*]*(?:\\*(?!/)[^*]*)*+)\\*/\\s*"
              + "(?:@(?!interface)[\\w.]+(?:\\((?:[^()]|\\([^()]*\\))*\\))?\\s*|[a-z-]+\\s+)*"
              + "(?:class|interface|enum|record|@interface)\\s+([A-Z]\\w*)");
  private static final Pattern DOCUMENTATION = Pattern.compile("/\\*\\*[\\s*]*(?=[A-Z])");
  private static final Pattern EXPORT = Pattern.compile("exports\\s+([\\w.]+)\\s*;");
  private static final Pattern CLAUSE =
      Pattern.compile("(?:What|How|Who|Whose|Where|Whether|One who|Whoever|Whatever)\\b");

  /** Files by package, and packages by folder. */
  private final Map<String, List<Path>> files = new TreeMap<>();

  private final Map<Path, Set<String>> packages = new HashMap<>();
  private final Set<String> unexplained = new TreeSet<>();

  /** Reads the packages below some folders, each the sources of one module. */
  SourceRooms(Collection<Path> folders) throws IOException {
    for (Path folder : folders) {
      try (Stream<Path> all = Files.walk(folder)) {
        for (Path file : all.filter(each -> each.toString().endsWith(".java")).sorted().toList()) {
          String room = folder.relativize(file.getParent()).toString().replace('\\', '/');
          if (!file.getFileName().toString().contains("-info")) {
            add(folder, room.replace('/', '.'), file);
          }
        }
      }
    }
  }

  private void add(Path folder, String room, Path file) throws IOException {
    files.computeIfAbsent(room, none -> new ArrayList<>()).add(file);
    if (packages.computeIfAbsent(folder, none -> new TreeSet<>()).add(room)
        && !isExplained(file.resolveSibling("package-info.java"))) {
      unexplained.add(room);
    }
  }

  private static boolean isExplained(Path info) throws IOException {
    return Files.exists(info)
        && FIRST_SENTENCE
            .matcher(Files.readString(info))
            .results()
            .anyMatch(found -> found.group(1).trim().split("\\s+").length >= 3);
  }

  /** {@return the packages without a sentence of three words or more in a package-info} */
  Set<String> unexplained() {
    return unexplained;
  }

  /** {@return which package uses which, as {@code a -> b}} */
  Set<String> arrows() throws IOException {
    Set<String> arrows = new TreeSet<>();
    for (Map.Entry<String, List<Path>> room : files.entrySet()) {
      for (Path file : room.getValue()) {
        String code = SourceCircles.NO_CODE.matcher(Files.readString(file)).replaceAll(" ");
        Stream.concat(
                SourceCircles.IMPORT.matcher(code).results().map(found -> found.group(1)),
                FULL_NAME.matcher(code).results().map(found -> found.group()))
            .map(this::packageOf)
            .filter(used -> !used.isEmpty() && !used.equals(room.getKey()))
            .forEach(used -> arrows.add(room.getKey() + " -> " + used));
      }
    }
    return arrows;
  }

  /** The package that a name lies in; empty if it is none of these. */
  private String packageOf(String name) {
    String room = name;
    while (!room.isEmpty() && !files.containsKey(room)) {
      room = room.substring(0, Math.max(0, room.lastIndexOf('.')));
    }
    return room;
  }

  /** {@return the packages of circles, without the root of each module} */
  Set<String> circles() throws IOException {
    Map<String, Set<String>> uses = new HashMap<>();
    for (String arrow : arrows()) {
      String[] ends = arrow.split(" -> ");
      uses.computeIfAbsent(ends[0], none -> new HashSet<>()).add(ends[1]);
    }
    for (Set<String> module : packages.values()) {
      String root = module.iterator().next(); // the first in order is the shortest
      uses.remove(root);
      uses.values().forEach(used -> used.remove(root));
    }
    Set<String> circles = new TreeSet<>();
    for (String room : uses.keySet()) {
      if (reaches(room, room, uses, new HashSet<>())) {
        circles.add(room);
      }
    }
    return circles;
  }

  private static boolean reaches(
      String from, String to, Map<String, Set<String>> uses, Set<String> seen) {
    for (String next : uses.getOrDefault(from, Set.of())) {
      if (next.equals(to) || seen.add(next) && reaches(next, to, uses, seen)) {
        return true;
      }
    }
    return false;
  }

  /** {@return how many types each package has at its top level} */
  Map<String, Integer> sizes() {
    Map<String, Integer> sizes = new TreeMap<>();
    files.forEach((room, all) -> sizes.put(room, all.size()));
    return sizes;
  }

  /** {@return the lines of each file that has more than {@code most}, by its type} */
  Map<String, Integer> longFiles(int most) throws IOException {
    Map<String, Integer> found = new TreeMap<>();
    for (Map.Entry<String, List<Path>> room : files.entrySet()) {
      for (Path file : room.getValue()) {
        int lines = Files.readAllLines(file).size();
        if (lines > most) {
          found.put(room.getKey() + "." + type(file), lines);
        }
      }
    }
    return found;
  }

  /** {@return the types whose documentation begins with a clause, such as "What a limiter does"} */
  Set<String> clauses() throws IOException {
    Set<String> found = new TreeSet<>();
    for (Map.Entry<String, List<Path>> room : files.entrySet()) {
      for (Path file : room.getValue()) {
        TYPE_DOCUMENTATION
            .matcher(Files.readString(file))
            .results()
            .filter(type -> CLAUSE.matcher(type.group(1)).lookingAt())
            .forEach(type -> found.add(room.getKey() + "." + type.group(2)));
      }
    }
    return found;
  }

  /**
   * {@return the places in exported packages where the documentation of a type or a member begins
   * with a clause, such as "Whether it is open"}
   */
  Set<String> clausesOfMembers() throws IOException {
    Set<String> found = new TreeSet<>();
    for (Map.Entry<Path, Set<String>> module : packages.entrySet()) {
      Path info = module.getKey().resolve("module-info.java");
      Set<String> exported =
          Files.exists(info)
              ? EXPORT
                  .matcher(Files.readString(info))
                  .results()
                  .map(each -> each.group(1))
                  .collect(Collectors.toSet())
              : module.getValue(); // without a module, all packages
      for (String room : exported) {
        for (Path file : files.getOrDefault(room, List.of())) {
          clauses(Files.readString(file)).forEach(each -> found.add(type(file) + ": " + each));
        }
      }
    }
    return found;
  }

  private static Stream<String> clauses(String source) {
    Matcher clause = CLAUSE.matcher(source);
    return DOCUMENTATION
        .matcher(source)
        .results()
        .filter(each -> clause.region(each.end(), source.length()).lookingAt())
        .map(each -> source.substring(each.end()).lines().findFirst().orElse(""));
  }

  /** {@return simple names that more than one type has} */
  Set<String> sharedNames() {
    return files.values().stream()
        .flatMap(List::stream)
        .collect(Collectors.groupingBy(SourceRooms::type, TreeMap::new, Collectors.counting()))
        .entrySet()
        .stream()
        .filter(name -> name.getValue() > 1)
        .map(Map.Entry::getKey)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static String type(Path file) {
    return file.getFileName().toString().replace(".java", "");
  }
}
