package dev.sluice.build;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.servers.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Every published jar has a module name that does not depend on the name of its file. */
class ModuleNamesTest {
  private static final Pattern DESCRIBED = Pattern.compile("(?m)^module ([\\w.]+) \\{");
  private static final Pattern AUTOMATIC =
      Pattern.compile(
          "<!-- No module-info: [^\\n]+\\. -->\\s+"
              + "<Automatic-Module-Name>([\\w.]+)</Automatic-Module-Name>");

  @Test
  void eachPublishedModuleHasADescriptorOrANameAndAReason() throws IOException {
    Set<String> names = new TreeSet<>();
    int modules = 0;
    for (String module : SourceTree.modules()) {
      String pom = Files.readString(SourceTree.path(module + "/pom.xml"));
      var sources = SourceTree.path(module + "/src/main/java");
      if (!pom.contains("/published/pom.xml</relativePath>") || !Files.isDirectory(sources)) {
        continue;
      }
      modules++;
      var descriptor = sources.resolve("module-info.java");
      String text = Files.exists(descriptor) ? Files.readString(descriptor) : pom;
      assertThat(text).as(module).containsPattern(text.equals(pom) ? AUTOMATIC : DESCRIBED);
      assertThat(pom.contains("<Automatic-Module-Name>"))
          .as("%s has one of the two", module)
          .isEqualTo(text.equals(pom));
      (text.equals(pom) ? AUTOMATIC : DESCRIBED)
          .matcher(text)
          .results()
          .map((MatchResult found) -> found.group(1))
          .forEach(names::add);
    }
    assertThat(names).as("one name each").hasSize(modules).hasSizeGreaterThan(10);
    assertThat(names).allSatisfy(name -> assertThat(name).startsWith("dev.sluice."));
  }
}
