package dev.sluice.bench.licences;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.servers.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nothing is shipped that asks for more than a notice, and the list has what the modules need. */
class LicencesTest {
  private static final Path ROOT = SourceTree.path("");
  private static final List<String> PUBLISHED =
      List.of(
          "core",
          "cache",
          "redis",
          "zookeeper",
          "jdbc",
          "console",
          "cli",
          "micrometer",
          "shedlock",
          "spring-integration",
          "spring-boot-starter",
          "sluice-test",
          "testkit");
  private static final Pattern DEPENDENCY =
      Pattern.compile("<dependency>(.*?)</dependency>", Pattern.DOTALL);
  private static final Pattern ROW =
      Pattern.compile("^\\| (\\S+:\\S+) +\\| (\\S+) +\\| (.*?) +\\| .*\\|$", Pattern.MULTILINE);

  private static Component component(String id, String... licences) {
    return new Component(id, "1", List.of(licences));
  }

  @Test
  void aNoticeIsAllThatMayBeAskedFor() {
    assertThat(
            Licences.refused(
                List.of(
                    component("a:permissive", "Apache-2.0"),
                    component("a:one-of-two", "GPL-2.0-only", "MIT"),
                    component("ch.qos.logback:logback-core", "EPL-2.0", "LGPL-2.1-only"),
                    component("a:copyleft", "GPL-3.0-only"),
                    component("a:weak", "EPL-2.0"),
                    component("org.junit.jupiter:changed", "GPL-3.0-only"),
                    component("a:unknown"),
                    component("a:own", "The Own Licence"))))
        .extracting(Component::id)
        .containsExactly("a:copyleft", "a:weak", "org.junit.jupiter:changed", "a:unknown", "a:own");
  }

  @Test
  void aBillOfMaterialsIsRead(@TempDir Path folder) throws IOException {
    Path bom = folder.resolve("bom.json");
    Files.writeString(
        bom,
        """
        {"components":[
          {"group":"dev.sluice","name":"sluice-core","version":"1"},
          {"group":"g","name":"b","version":"2","licenses":[{"license":{"name":"Odd"}}]},
          {"group":"g","name":"a","version":"1","licenses":[{"license":{"id":"MIT"}},{"expression":"X OR Y"}]},
          {"name":"js","version":"4","licenses":[{"license":{"id":"MIT"}}],"purl":"pkg:npm/js@4"},
          {"group":"g","name":"c","version":"3"}]}
        """);
    assertThat(Licences.read(bom))
        .containsExactly(
            new Component("g:a", "1", List.of("MIT", "X OR Y")),
            new Component("g:b", "2", List.of("Odd")),
            new Component("g:c", "3", List.of()),
            new Component("npm:js", "4", List.of("MIT")));
  }

  @Test
  void whatThePageBringsAlongIsInTheBillOfMaterials() throws IOException {
    Path console = SourceTree.module("console");
    List<String> fetched =
        Pattern.compile("^(\\w+)=([0-9.]+)$", Pattern.MULTILINE)
            .matcher(Files.readString(console.resolve("vendor.sh")))
            .results()
            .map(each -> each.group(1) + "@" + each.group(2))
            .filter(each -> !each.startsWith("esbuild@")) // a tool, of which nothing stays
            .toList();
    String bill = Files.readString(console.resolve("vendored.json"));
    List<String> named =
        Pattern.compile("\"purl\" : \"pkg:npm/(.*)\"")
            .matcher(bill)
            .results()
            .map(each -> each.group(1))
            .toList();
    assertThat(named).isNotEmpty().hasSameElementsAs(fetched);
    assertThat(listed())
        .extracting(each -> each.id().replace("npm:", "") + "@" + each.version())
        .containsAll(named);
    assertThat(Files.readString(console.resolve("pom.xml"))).contains("vendored.json");
  }

  private static List<Component> listed() throws IOException {
    List<Component> listed = new ArrayList<>();
    Matcher rows = ROW.matcher(Files.readString(ROOT.resolve("docs/results/licences.md")));
    while (rows.find()) {
      listed.add(new Component(rows.group(1), rows.group(2), List.of(rows.group(3).split(" or "))));
    }
    return listed;
  }

  @Test
  void whatIsListedMayBeShipped() throws IOException {
    assertThat(listed()).hasSizeGreaterThan(30);
    assertThat(Licences.refused(listed())).isEmpty();
  }

  @Test
  void everyDependencyOfAPublishedModuleIsListed() throws IOException {
    List<String> listed = listed().stream().map(Component::id).toList();
    for (String module : PUBLISHED) {
      String pom = Files.readString(SourceTree.module(module).resolve("pom.xml"));
      Matcher found = DEPENDENCY.matcher(pom);
      while (found.find()) {
        String dependency = found.group(1);
        String id = value(dependency, "groupId") + ":" + value(dependency, "artifactId");
        String scope = value(dependency, "scope");
        boolean shipped =
            (scope.isEmpty() || scope.equals("compile") || scope.equals("runtime"))
                && !id.startsWith("dev.sluice:");
        if (shipped) {
          assertThat(listed).as("%s of %s: run ./sluice bench licences", id, module).contains(id);
        }
      }
    }
  }

  private static String value(String xml, String tag) {
    Matcher found = Pattern.compile("<" + tag + ">([^<]*)</" + tag + ">").matcher(xml);
    return found.find() ? found.group(1) : "";
  }
}
