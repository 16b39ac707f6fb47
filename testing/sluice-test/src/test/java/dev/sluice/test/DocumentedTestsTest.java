package dev.sluice.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tests that docs/spring-boot.md shows compile. */
class DocumentedTestsTest {
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```java test\\R(.*?)^```");
  private static final Pattern NAME = Pattern.compile("(?m)^class (\\w+)");
  private static final List<String> IMPORTS =
      List.of(
          "static org.junit.jupiter.api.Assertions.*",
          "dev.sluice.*",
          "dev.sluice.lock.*",
          "dev.sluice.memory.*",
          "dev.sluice.test.*",
          "java.time.Duration",
          "org.junit.jupiter.api.Test",
          "org.springframework.beans.factory.annotation.Autowired",
          "org.springframework.boot.test.context.SpringBootTest");

  @Test
  void theyCompile(@TempDir Path folder) throws Exception {
    List<String> blocks =
        BLOCK
            .matcher(Files.readString(Path.of("../../docs/spring-boot.md")))
            .results()
            .map(block -> block.group(1))
            .toList();
    assertThat(blocks).hasSize(2);
    for (String block : blocks) {
      MatchResult name = NAME.matcher(block).results().findFirst().orElseThrow();
      String classPath = System.getProperty("java.class.path");
      Sources.compile(name.group(1), IMPORTS, block, folder, classPath);
    }
  }
}
