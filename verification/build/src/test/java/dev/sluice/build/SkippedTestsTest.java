package dev.sluice.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SkippedTestsTest {
  @TempDir Path root;

  private void report(String file, String cases) throws IOException {
    Path path = root.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, "<testsuite name='A' tests='3'>" + cases + "</testsuite>");
  }

  /** As Surefire writes it. */
  private static String skipped(String message) {
    String type = "org.opentest4j.TestAbortedException";
    return "<testcase><skipped type='%s'><![CDATA[%s: %s\n\tat A.b(A.java:1)\n]]></skipped></testcase>"
        .formatted(type, type, message);
  }

  @Test
  void countsByReasonOverAllModules() throws IOException {
    String mariadb = skipped("MariaDB: none");
    report("jdbc/target/surefire-reports/TEST-a.xml", mariadb + "<testcase name='b'/>" + mariadb);
    report("examples/shop/target/surefire-reports/TEST-b.xml", mariadb);
    report(
        "redis/target/surefire-reports/TEST-c.xml",
        skipped("Assumption failed: C compiler: none") + "<testcase><skipped/></testcase>");
    report("redis/target/other/TEST-d.xml", mariadb);

    assertThat(SkippedTests.reasons(root))
        .containsOnly(
            entry("MariaDB: none", 3), entry("C compiler: none", 1), entry("No reason given", 1));
  }

  @Test
  void namesTheReportThatCannotBeRead() throws IOException {
    report("jdbc/target/surefire-reports/TEST-a.xml", "<testcase>");

    assertThatThrownBy(() -> SkippedTests.reasons(root))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("TEST-a.xml");
  }
}
