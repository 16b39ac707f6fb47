package dev.sluice.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A fresh Spring Boot application, made of what docs/spring-boot.md shows and nothing else, runs in
 * a JVM of its own. It is compiled here and not by a Maven of its own, which would need this build
 * installed and half a minute: its class path is that of this module, which has the starter, what
 * the starter brings, and libraries for tests as any new project has.
 */
class FreshProjectTest {
  private static final Path DOCUMENT = Path.of("../../docs/spring-boot.md");

  /** What an editor adds. */
  private static final List<String> IMPORTS =
      List.of(
          "dev.sluice.spring.lock.*",
          "org.springframework.boot.*",
          "org.springframework.boot.autoconfigure.*");

  private static String block(String language) throws IOException {
    String section =
        Files.readString(DOCUMENT)
            .split("(?m)^## Spring Boot in ten lines$", -1)[1]
            .split("\n## ")[0];
    Matcher block = Pattern.compile("(?ms)^```" + language + "\\R(.*?)^```").matcher(section);
    assertThat(block.find()).as("a block of %s", language).isTrue();
    return block.group(1);
  }

  private static String element(String name, String xml) {
    Matcher found = Pattern.compile("<" + name + ">([^<]*)</" + name + ">").matcher(xml);
    assertThat(found.find()).as("<%s>", name).isTrue();
    return found.group(1);
  }

  @Test
  void theDependencyIsTheStarterOfThisBuild() throws IOException {
    String parent = Files.readString(Path.of("../../pom.xml"));
    String dependency = block("xml");
    assertThat(element("groupId", dependency)).isEqualTo(element("groupId", parent));
    assertThat(element("version", dependency)).isEqualTo(element("version", parent));
    assertThat(Files.readString(Path.of("../../integrations/spring-boot-starter/pom.xml")))
        .contains("<artifactId>" + element("artifactId", dependency) + "</artifactId>");
  }

  @Test
  void theTenLinesRun(@TempDir Path folder) throws Exception {
    String code = block("java shop");
    assertThat(code.lines()).hasSize(10);
    Sources.compile("Shop", IMPORTS, code, folder, classPath());

    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                folder + File.pathSeparator + classPath(),
                "com.example.Shop")
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("output.txt").toFile())
            .start();
    try {
      assertThat(process.waitFor(120, TimeUnit.SECONDS)).as("it ends").isTrue();
    } finally {
      process.destroyForcibly();
    }
    String output = Files.readString(folder.resolve("output.txt"));
    assertThat(process.exitValue()).as(output).isZero();
    assertThat(output)
        .containsPattern("(?m)^tea sold, token [1-9][0-9]{9,}$")
        .contains("Sluice works in the memory of this JVM");
  }

  /** That of a new project: without what this module is. */
  private static String classPath() {
    String here = Path.of("target").toAbsolutePath().toString();
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(entry -> !entry.startsWith(here))
        .collect(Collectors.joining(File.pathSeparator));
  }
}
