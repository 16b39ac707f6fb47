package dev.sluice.build;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.servers.SourceTree;
import java.io.IOException;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Compiles and runs every Java block of the documents, and looks at their tables. */
class DocumentsTest {
  private static final Path ROOT = SourceTree.path("");
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```java\\R(.*?)^```");

  private static final Pattern EXAMPLE =
      Pattern.compile("(?ms)^ \\* <pre>\\{@code\\R(.*?)^ \\* \\}</pre>");

  private static final Pattern FENCED = Pattern.compile("(?ms)^```.*?^```");

  /** The first line of a table that does not have the line of hyphens as its second. */
  private static final Pattern BROKEN_TABLE =
      Pattern.compile("(?m)(?<![|]\\n)^[|].*\\n(?![|][ :|-]*[|]$)");

  /** Its example needs Micrometer, which is not on this class path. */
  private static final String WITH_MICROMETER = "CacheMetrics.java";

  private static final String AMONG =
      """
      Lease lease = sluice.lock("example").acquire(Duration.ZERO);
      Object order = "";
      var orders = new Object() { void read() {} void write(Object what, long token) {} };
      var jobs = new Object() { void runNext(long token) {} };
      var database = new Object() { String find(long id) { return ""; } void save(long id, String name) {} };
      var reports = new Object() { void add(Object... facts) {} };
      new Object() {
        void example() throws Exception {
      %s
        }
      };
      """;

  @TempDir Path classes;

  private record Block(String file, int line, String code) {
    String className() {
      return "Block_" + file.replaceAll("\\W", "_") + "_" + line;
    }

    String source() {
      return """
          import dev.sluice.*;
          import dev.sluice.bloom.*;
          import dev.sluice.cache.*;
          import dev.sluice.inventory.*;
          import dev.sluice.latch.*;
          import dev.sluice.guard.*;
          import dev.sluice.limit.*;
          import dev.sluice.lock.*;
          import dev.sluice.memory.*;
          import java.time.Duration;
          import java.util.*;
          import java.util.concurrent.*;
          import java.util.concurrent.atomic.*;
          import java.util.stream.*;
          public class %s {
            public static void run(Sluice sluice) throws Exception {
          %s
            }
          }
          """
          .formatted(className(), code);
    }
  }

  @TestFactory
  Stream<DynamicTest> everyJavaBlockRuns() throws IOException {
    List<Block> blocks = blocks();
    assertThat(blocks).as("java blocks in README.md and docs").hasSizeGreaterThan(8);
    return blocks.stream()
        .map(block -> DynamicTest.dynamicTest(block.file + ":" + block.line, () -> run(block)));
  }

  /** Not run: an example may name a server, or the reader's own code. */
  @TestFactory
  Stream<DynamicTest> everyExampleInJavadocCompiles() throws IOException {
    List<Block> examples = examples();
    assertThat(examples).as("examples in Javadoc").hasSizeGreaterThanOrEqualTo(20);
    return examples.stream()
        .map(
            block ->
                DynamicTest.dynamicTest(
                    block.file + ":" + block.line, () -> assertThat(compile(block)).isEmpty()));
  }

  @Test
  void aBlockThatDoesNotCompileIsNoticed() {
    Block broken = new Block("broken.md", 1, "sluice.lock(42);");
    assertThat(compile(broken)).contains("incompatible types");
  }

  @Test
  void everyTableHasOneHead() throws IOException {
    for (Path file : documents()) {
      assertThat(brokenTables(Files.readString(file))).as(file.toString()).isEmpty();
    }
  }

  @Test
  void aTableWithTwoHeadsIsNoticed() {
    String table = "| a | b |\n|---|---|\n| 1 | 2 |\n";
    assertThat(brokenTables("# Page\n\n" + table + "\n```\n| text |\n```\n")).isEmpty();
    assertThat(brokenTables("# Page\n\n| a | b |\n" + table)).containsExactly("| a | b |\n");
  }

  private static List<String> brokenTables(String text) {
    String prose = FENCED.matcher(text).replaceAll("");
    return BROKEN_TABLE.matcher(prose).results().map(MatchResult::group).toList();
  }

  private void run(Block block) throws Exception {
    assertThat(compile(block)).isEmpty();
    try (URLClassLoader loader =
            new URLClassLoader(new URL[] {classes.toUri().toURL()}, getClass().getClassLoader());
        Sluice sluice = Sluice.connect("memory:")) {
      loader.loadClass(block.className()).getMethod("run", Sluice.class).invoke(null, sluice);
    } catch (InvocationTargetException e) {
      throw new AssertionError(block.file + ":" + block.line + " failed", e.getCause());
    }
  }

  /** Returns the compiler's complaints, empty when there are none. */
  private String compile(Block block) {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter complaints = new StringWriter();
    JavaFileObject source =
        new SimpleJavaFileObject(
            URI.create("string:///" + block.className() + ".java"), JavaFileObject.Kind.SOURCE) {
          @Override
          public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return block.source();
          }
        };
    boolean ok =
        compiler
            .getTask(
                complaints,
                null,
                null,
                List.of(
                    "-d",
                    classes.toString(),
                    "-cp",
                    System.getProperty("java.class.path"),
                    "-nowarn"),
                null,
                List.of(source))
            .call();
    return ok ? "" : complaints.toString();
  }

  private static List<Path> documents() throws IOException {
    List<Path> files =
        new ArrayList<>(List.of(ROOT.resolve("README.md"), ROOT.resolve("README.zh-CN.md")));
    try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
      docs.filter(file -> file.toString().endsWith(".md")).sorted().forEach(files::add);
    }
    return files;
  }

  /** The examples of public types, among what their readers are assumed to have. */
  private static List<Block> examples() throws IOException {
    List<Block> examples = new ArrayList<>();
    for (String module : List.of("core", "cache")) {
      try (Stream<Path> files = Files.walk(ROOT.resolve(module + "/src/main/java/dev/sluice"), 2)) {
        for (Path file : files.filter(DocumentsTest::hasExamples).sorted().toList()) {
          String text = Files.readString(file);
          Matcher example = EXAMPLE.matcher(text);
          while (example.find()) {
            int line = (int) text.substring(0, example.start()).lines().count() + 1;
            String code = example.group(1).replaceAll("(?m)^ *\\* ?", "");
            examples.add(new Block(ROOT.relativize(file).toString(), line, AMONG.formatted(code)));
          }
        }
      }
    }
    return examples;
  }

  private static boolean hasExamples(Path file) {
    return file.toString().endsWith(".java") && !file.endsWith(WITH_MICROMETER);
  }

  private static List<Block> blocks() throws IOException {
    List<Block> blocks = new ArrayList<>();
    for (Path file : documents()) {
      String text = Files.readString(file);
      Matcher block = BLOCK.matcher(text);
      while (block.find()) {
        int line = (int) text.substring(0, block.start()).lines().count() + 1;
        blocks.add(new Block(ROOT.relativize(file).toString(), line, block.group(1)));
      }
    }
    return blocks;
  }
}
