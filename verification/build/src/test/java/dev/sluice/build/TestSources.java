package dev.sluice.build;

import static java.util.stream.Collectors.toSet;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The tests of all modules, and the contracts that they list, read from the sources: nothing has to
 * be compiled for it.
 */
final class TestSources {
  private static final Pattern TEST =
      Pattern.compile(
          "@(?:Test|TestFactory|ParameterizedTest|RepeatedTest)\\b.*?"
              + "\\b(?:void|Stream<\\w+>)\\s+(\\w+)\\(",
          Pattern.DOTALL);
  private static final Pattern PARENTS =
      Pattern.compile("\\b(?:extends|implements) (\\w+(?:,\\s*\\w+)*)");

  private final List<TestClass> classes = new ArrayList<>();

  /** Reads what stands below a folder. */
  TestSources(Path root) throws IOException {
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            String name = folder.getFileName().toString();
            boolean skipped =
                !folder.equals(root) && (name.equals("target") || name.startsWith("."));
            return skipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            if (file.toString().endsWith(".java")) {
              TestClass read = read(root, file);
              if (read.name().matches("\\w+(Test|IT|Contract)") || !read.methods().isEmpty()) {
                classes.add(read);
              }
            }
            return FileVisitResult.CONTINUE;
          }
        });
  }

  /**
   * A class with tests.
   *
   * @param module its module's artifact without the {@code sluice-}
   * @param name its simple name
   * @param parents what it or a class inside of it extends or implements
   * @param methods its own tests
   */
  record TestClass(String module, String name, Set<String> parents, Set<String> methods) {}

  private static TestClass read(Path root, Path file) throws IOException {
    Path inside = root.relativize(file);
    String path = inside.toString().replace('\\', '/');
    String source = Files.readString(file);
    String module = path.contains("/src/") ? path.substring(0, path.indexOf("/src/")) : "";
    return new TestClass(
        module.substring(module.lastIndexOf('/') + 1).replaceFirst("^sluice-", ""),
        inside.getFileName().toString().replace(".java", ""),
        all(PARENTS, source).stream()
            .flatMap(Pattern.compile(",\\s*")::splitAsStream)
            .collect(toSet()),
        all(TEST, source));
  }

  private static Set<String> all(Pattern pattern, String source) {
    Set<String> found = new HashSet<>();
    Matcher matcher = pattern.matcher(source);
    while (matcher.find()) {
      found.add(matcher.group(1));
    }
    return found;
  }

  /**
   * Classes by name.
   *
   * @param modules where to look; none means everywhere
   * @param pattern a simple name, stars stand for anything
   */
  List<TestClass> classes(Set<String> modules, String pattern) {
    return classes.stream()
        .filter(each -> modules.isEmpty() || modules.contains(each.module()))
        .filter(each -> each.name().matches(regex(pattern)))
        .toList();
  }

  /** Whether any class with tests is in that module. */
  boolean hasModule(String name) {
    return classes.stream().anyMatch(each -> each.module().equals(name));
  }

  /** Whether a class has, or inherits, a test of that name; stars stand for anything. */
  boolean has(TestClass owner, String pattern) {
    return owner.methods().stream().anyMatch(method -> method.matches(regex(pattern)))
        || owner.parents().stream()
            .flatMap(parent -> classes.stream().filter(each -> each.name().equals(parent)))
            .filter(parent -> !parent.equals(owner))
            .anyMatch(parent -> has(parent, pattern));
  }

  private static String regex(String pattern) {
    return pattern.replace("*", "\\w*");
  }
}
