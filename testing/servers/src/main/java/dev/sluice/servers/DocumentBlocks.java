package dev.sluice.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * Java blocks of a document that need more than core: those of a module's own, fenced with the word
 * {@code java} and the module's name. Each is the body of a method.
 */
public final class DocumentBlocks {
  private static final List<String> IMPORTS =
      List.of(
          "dev.sluice.*",
          "dev.sluice.guard.*",
          "dev.sluice.lock.*",
          "java.time.Duration",
          "java.util.*",
          "java.util.concurrent.*");

  private final List<String> imports = new ArrayList<>(IMPORTS);
  private final String parameters;

  /**
   * How blocks are to be read.
   *
   * @param parameters of the method that a block becomes: {@code "Sluice sluice, String url"}
   * @param imports what the blocks know besides core: {@code "java.sql.*"}
   */
  public DocumentBlocks(String parameters, String... imports) {
    this.parameters = parameters;
    this.imports.addAll(List.of(imports));
  }

  /**
   * A block.
   *
   * @param file where it stands
   * @param line the line of its fence
   * @param code its text
   */
  public record Block(Path file, int line, String code) {
    private String className() {
      return "Block_" + file.getFileName().toString().replaceAll("\\W", "_") + "_" + line;
    }

    @Override
    public String toString() {
      return file.getFileName() + ":" + line;
    }
  }

  /**
   * The blocks of a document.
   *
   * @param file the document
   * @param module the word behind {@code java}
   * @return the blocks, at least one
   */
  public static List<Block> of(Path file, String module) {
    String text;
    try {
      text = Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    List<Block> blocks = new ArrayList<>();
    Matcher block = Pattern.compile("(?ms)^```java " + module + "\\R(.*?)^```").matcher(text);
    while (block.find()) {
      int line = (int) text.substring(0, block.start()).lines().count() + 1;
      blocks.add(new Block(file, line, block.group(1)));
    }
    assertThat(blocks).as("blocks of '%s' in %s", module, file).isNotEmpty();
    return blocks;
  }

  /**
   * Compiles a block.
   *
   * @param block the block
   * @param folder for its class
   */
  public void compile(Block block, Path folder) {
    String method = "public static void run(%s) throws Exception {\n%s}\n";
    compile(block, method.formatted(parameters, block.code), folder);
  }

  /**
   * Compiles a block that is no body of a method, but methods: those of a class that has the
   * parameters as fields.
   *
   * @param block the block
   * @param folder for its class
   */
  public void compileMembers(Block block, Path folder) {
    String fields = parameters.isEmpty() ? "" : String.join(";\n", parameters.split(", ")) + ";\n";
    compile(block, fields + block.code, folder);
  }

  /**
   * Compiles a block that is a whole class, in a separate package.
   *
   * @param block the block
   * @param folder for its class
   * @return the full name of the class
   */
  public String compileClass(Block block, Path folder) {
    Matcher name = Pattern.compile("(?m)^public class (\\w+)").matcher(block.code);
    assertThat(name.find()).as("%s: a public class", block).isTrue();
    compileSource(block, "documented", name.group(1), block.code, folder);
    return "documented." + name.group(1);
  }

  private void compile(Block block, String members, Path folder) {
    String body = "public class %s {\n%s}\n".formatted(block.className(), members);
    compileSource(block, "", block.className(), body, folder);
  }

  private void compileSource(
      Block block, String inPackage, String className, String code, Path folder) {
    String source =
        (inPackage.isEmpty() ? "" : "package " + inPackage + ";\n")
            + imports.stream().map(name -> "import " + name + ";\n").collect(Collectors.joining())
            + code;
    JavaFileObject file =
        new SimpleJavaFileObject(
            URI.create("string:///" + className + ".java"), JavaFileObject.Kind.SOURCE) {
          @Override
          public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return source;
          }
        };
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter complaints = new StringWriter();
    List<String> options =
        List.of(
            "-d",
            folder.toString(),
            "-cp",
            System.getProperty("java.class.path"),
            "-nowarn",
            "-parameters");
    boolean compiled =
        compiler.getTask(complaints, null, null, options, null, List.of(file)).call();
    assertThat(compiled).as("%s: %s", block, complaints).isTrue();
  }

  /**
   * Compiles a block and runs it.
   *
   * @param block the block
   * @param folder for its class
   * @param arguments the values of its parameters
   * @throws Exception what went wrong with the class
   */
  public void run(Block block, Path folder, Object... arguments) throws Exception {
    compile(block, folder);
    try (URLClassLoader loader =
        new URLClassLoader(new URL[] {folder.toUri().toURL()}, getClass().getClassLoader())) {
      Method method =
          Stream.of(loader.loadClass(block.className()).getMethods())
              .filter(each -> each.getName().equals("run"))
              .findFirst()
              .orElseThrow();
      method.invoke(null, arguments);
    } catch (InvocationTargetException e) {
      throw new AssertionError(block + " failed", e.getCause());
    }
  }
}
