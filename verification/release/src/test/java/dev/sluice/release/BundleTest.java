package dev.sluice.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarInputStream;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;

/** The bundle holds what Maven Central requires of each module. */
class BundleTest {
  private static final String VERSION = System.getProperty("sluice.version");
  private static final File BUNDLE = new File(System.getProperty("sluice.bundle"));
  private static final Path REPOSITORY = Path.of(System.getProperty("sluice.repository"));

  /** Those that the BOM lists, and the command line. */
  private static List<String> modules() throws IOException {
    String bom = Files.readString(Path.of("..", "..", "bom", "pom.xml"));
    String managed = bom.substring(bom.indexOf("<dependencyManagement>"));
    return Stream.concat(
            Stream.of("sluice-cli"),
            Stream.of(managed.split("<artifactId>", -1))
                .filter(part -> part.startsWith("sluice-"))
                .map(part -> part.substring(0, part.indexOf('<'))))
        .toList();
  }

  private static List<String> published() throws IOException {
    try (Stream<Path> folders = Files.list(REPOSITORY.resolve("dev/sluice"))) {
      return folders
          .filter(Files::isDirectory)
          .map(folder -> folder.getFileName().toString())
          .toList();
    }
  }

  /** The entry of a module whose name ends so; a snapshot's name has a time in it. */
  private static ZipEntry entry(ZipFile bundle, String module, String end) {
    String start = "dev/sluice/" + module + "/" + VERSION + "/" + module + "-";
    List<? extends ZipEntry> found =
        bundle.stream()
            .filter(each -> each.getName().startsWith(start) && each.getName().endsWith(end))
            .filter(each -> !end.equals(".jar") || !each.getName().matches(".*-[a-z]+\\.jar"))
            .toList();
    assertThat(found).as("%s of %s", end, module).hasSize(1);
    return found.get(0);
  }

  private static String text(ZipFile bundle, ZipEntry entry) throws IOException {
    try (InputStream in = bundle.getInputStream(entry)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void publishedModulesAreThoseOfTheBom() throws IOException {
    assertThat(published())
        .containsExactlyInAnyOrderElementsOf(
            Stream.concat(Stream.of("sluice-bom"), modules().stream()).toList());
  }

  @Test
  void everyModuleHasAllFilesWithChecksums() throws IOException {
    try (ZipFile bundle = new ZipFile(BUNDLE)) {
      for (String module : modules()) {
        for (String end : List.of(".jar", "-sources.jar", "-javadoc.jar", ".pom")) {
          String name = entry(bundle, module, end).getName();
          assertThat(bundle.getEntry(name + ".sha1")).as("%s.sha1", name).isNotNull();
          assertThat(bundle.getEntry(name + ".md5")).as("%s.md5", name).isNotNull();
        }
      }
      assertThat(bundle.stream().map(ZipEntry::getName)).noneMatch(n -> n.contains("metadata"));
    }
  }

  @Test
  void everyJarHasLicenceNoticeAndVersion() throws IOException {
    try (ZipFile bundle = new ZipFile(BUNDLE)) {
      for (String module : modules()) {
        for (String end : List.of(".jar", "-sources.jar", "-javadoc.jar")) {
          ZipEntry entry = entry(bundle, module, end);
          Path jar = REPOSITORY.resolve(entry.getName());
          try (ZipFile content = new ZipFile(jar.toFile())) {
            assertThat(content.getEntry("META-INF/LICENSE")).as("LICENSE in %s", jar).isNotNull();
            assertThat(text(content, content.getEntry("META-INF/NOTICE")))
                .as("NOTICE in %s", jar)
                .contains("The Sluice authors");
          }
        }
        try (JarInputStream jar =
            new JarInputStream(bundle.getInputStream(entry(bundle, module, ".jar")))) {
          assertThat(jar.getManifest().getMainAttributes().getValue("Implementation-Version"))
              .as("version in %s", module)
              .isEqualTo(VERSION);
        }
      }
    }
  }

  @Test
  void publishedPomsStandAlone() throws IOException {
    try (ZipFile bundle = new ZipFile(BUNDLE)) {
      for (String module : published()) {
        String pom = text(bundle, entry(bundle, module, ".pom"));
        assertThat(pom)
            .as(module)
            .doesNotContain("<parent>", "<profile>", "<build>", "test</scope>")
            .contains("<name>", "<description>", "<license>", "<developer>")
            .contains("<url>https://github.com/sluice-dev/sluice</url>\n  </scm>");
        if (!module.equals("sluice-bom")) {
          assertThat(pom).as(module).doesNotContain("${", "<dependencyManagement>");
        }
      }
    }
  }

  /** Applications get the versions that POMs name, not those that our build manages. */
  @Test
  void storesNameTheNettyThatIsTested() throws IOException {
    String parent = Files.readString(Path.of("..", "..", "pom.xml"));
    String version = parent.replaceFirst("(?s).*<netty.version>(.*?)</netty.version>.*", "$1");
    try (ZipFile bundle = new ZipFile(BUNDLE)) {
      for (String module : List.of("sluice-redis", "sluice-zookeeper")) {
        assertThat(text(bundle, entry(bundle, module, ".pom")))
            .as(module)
            .containsPattern(
                "<artifactId>netty-handler</artifactId>\\s*<version>" + Pattern.quote(version));
      }
    }
  }
}
