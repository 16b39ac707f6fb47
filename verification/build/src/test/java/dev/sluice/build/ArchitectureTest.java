package dev.sluice.build;

import static com.tngtech.archunit.base.DescribedPredicate.alwaysTrue;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import dev.sluice.servers.SourceTree;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Keeps the arrows between modules pointing one way. It lives in the module that is built last and
 * reads the compiled classes of the others from their folders, so no module has to depend on one it
 * does not need.
 */
class ArchitectureTest {

  private static final String[] OTHER_ROOMS = {
    "dev.sluice.redis..",
    "dev.sluice.zookeeper..",
    "dev.sluice.jdbc..",
    "dev.sluice.cache..",
    "dev.sluice.servers..",
    "dev.sluice.testkit..",
    "dev.sluice.verification..",
    "dev.sluice.cli..",
    "dev.sluice.replay..",
    "dev.sluice.console..",
    "dev.sluice.micrometer..",
    "dev.sluice.shedlock..",
    "dev.sluice.integration..",
    "dev.sluice.spring..",
    "dev.sluice.flashsale..",
    "dev.sluice.fencing..",
    "dev.sluice.bench.."
  };

  @Test
  void coreNeedsTheJdkAndAHashOnly() throws IOException {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideOutsideOfPackages(
            "java..", "javax..", "dev.sluice..", "org.jspecify..", "com.dynatrace.hash4j..")
        .check(module("core"));
    noneUses(OTHER_ROOMS).check(module("core"));
  }

  @Test
  void packagesOfCoreFormNoCycleBelowTheRoot() throws IOException {
    // The root package is the entry point: it knows the rooms, and the rooms throw its exceptions.
    slices()
        .matching("dev.sluice.(**)")
        .should()
        .beFreeOfCycles()
        .allowEmptyShould(true)
        .check(module("core"));
  }

  @Test
  void enginesOfCoreShareTheCallAndNothingElse() throws IOException {
    slices()
        .matching("dev.sluice.internal.(*)")
        .should()
        .notDependOnEachOther()
        .ignoreDependency(alwaysTrue(), resideInAPackage("dev.sluice.internal.call"))
        .check(module("core"));
  }

  @Test
  void redisKnowsThePublicSideOfCoreAndItsDriverOnly() throws IOException {
    noneUses(
            "dev.sluice.internal..",
            "dev.sluice.zookeeper..",
            "dev.sluice.jdbc..",
            "dev.sluice.testkit..",
            "dev.sluice.cli..",
            "dev.sluice.spring..",
            "dev.sluice.flashsale..",
            "dev.sluice.bench..",
            "org.springframework..")
        .check(module("redis"));
  }

  @Test
  void zookeeperKnowsThePublicSideOfCoreAndItsDriverOnly() throws IOException {
    noneUses(
            "dev.sluice.internal..",
            "dev.sluice.redis..",
            "dev.sluice.jdbc..",
            "dev.sluice.testkit..",
            "dev.sluice.cli..",
            "dev.sluice.spring..",
            "dev.sluice.flashsale..",
            "dev.sluice.bench..",
            "org.apache.curator.framework.recipes..",
            "org.springframework..")
        .check(module("zookeeper"));
  }

  @Test
  void jdbcKnowsThePublicSideOfCoreAndJavaSqlOnly() throws IOException {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideOutsideOfPackages("java..", "javax.sql..", "dev.sluice..", "org.jspecify..")
        .check(module("jdbc"));
    noneUses(
            "dev.sluice.internal..",
            "dev.sluice.redis..",
            "dev.sluice.zookeeper..",
            "dev.sluice.testkit..",
            "dev.sluice.cli..",
            "dev.sluice.spring..")
        .check(module("jdbc"));
  }

  @Test
  void testkitKnowsNeitherAStoreNorCachesNorServers() throws IOException {
    noneUses(
            "dev.sluice.cache..",
            "dev.sluice.servers..",
            "dev.sluice.verification..",
            "dev.sluice.redis..",
            "dev.sluice.zookeeper..",
            "dev.sluice.jdbc..",
            "dev.sluice.cli..",
            "dev.sluice.spring..",
            "dev.sluice.flashsale..",
            "dev.sluice.bench..",
            "org.springframework..")
        .check(module("testkit"));
  }

  @Test
  void nothingPublishedUsesTheLaboratory() throws IOException {
    for (String module : SourceTree.modules()) {
      Path pom = SourceTree.path(module + "/pom.xml");
      if (Files.readString(pom).contains("/published/pom.xml</relativePath>")) {
        noneUses("dev.sluice.servers..", "dev.sluice.verification..", "dev.sluice.bench..")
            .check(module(module));
      }
    }
  }

  @Test
  void testSupportKnowsNoBackendAndNoneOfTheStarter() throws IOException {
    noneUses(
            "dev.sluice.internal..",
            "dev.sluice.redis..",
            "dev.sluice.zookeeper..",
            "dev.sluice.jdbc..",
            "dev.sluice.testkit..",
            "dev.sluice.cli..",
            "dev.sluice.spring..",
            "org.springframework.boot..")
        .check(module("sluice-test"));
  }

  @Test
  void guestsUseThePublicApiOnly() throws IOException {
    String[] guests = {
      "cli",
      "replay",
      "console",
      "spring-boot-starter",
      "flash-sale",
      "crash-test",
      "fencing",
      "micrometer",
      "shedlock",
      "spring-integration"
    };
    for (String guest : guests) {
      noneUses("dev.sluice.internal..").check(module(guest));
    }
  }

  @Test
  void consoleKnowsNoBackendAndOneServerInOnePlace() throws IOException {
    noneUses(
            "dev.sluice.redis..",
            "dev.sluice.zookeeper..",
            "dev.sluice.jdbc..",
            "dev.sluice.testkit..",
            "dev.sluice.cli..",
            "dev.sluice.spring..",
            "dev.sluice.flashsale..",
            "dev.sluice.bench..",
            "org.springframework..",
            "jakarta..")
        .check(module("console"));
    noClasses()
        .that()
        .haveNameNotMatching(".*\\.(ConsoleServer|OpenConnections)(\\$.*)?")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.eclipse.jetty..")
        .check(module("console"));
  }

  @Test
  void springStaysInTheStarterAndTheSample() throws IOException {
    for (String module : new String[] {"cli", "replay", "cache", "micrometer", "shedlock"}) {
      noneUses("org.springframework..", "dev.sluice.spring..", "dev.sluice.flashsale..")
          .check(module(module));
    }
  }

  /** What a store or a caller sends creates no objects of classes that it names. */
  @Test
  void nothingReadsSerialisedObjects() throws IOException {
    for (String module :
        new String[] {
          "core",
          "cache",
          "redis",
          "jdbc",
          "zookeeper",
          "micrometer",
          "shedlock",
          "spring-integration",
          "spring-boot-starter",
          "console",
          "replay",
          "cli"
        }) {
      noClasses()
          .should()
          .dependOnClassesThat()
          .belongToAnyOf(ObjectInputStream.class, ObjectOutputStream.class)
          .check(module(module));
    }
  }

  @Test
  void catchesAPlantedFault() throws IOException {
    JavaClasses offender = new ClassFileImporter().importClasses(Offender.class);

    assertThatThrownBy(() -> noneUses("java.util.regex..").check(offender))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("Offender");
  }

  private static ArchRule noneUses(String... packages) {
    return noClasses().should().dependOnClassesThat().resideInAnyPackage(packages);
  }

  /**
   * The compiled main code of a module. A rule about no classes would hold for ever, so a module
   * that was not built fails, unless {@code -Dsluice.architecture.partial=true} says that only a
   * part was built.
   */
  private static JavaClasses module(String name) throws IOException {
    Path classes = SourceTree.module(name).resolve("target/classes");
    JavaClasses found = new ClassFileImporter().importPath(classes);
    assumeFalse(
        found.isEmpty() && Boolean.getBoolean("sluice.architecture.partial"),
        () -> name + " is not compiled");
    assertThat(found)
        .as("%s is not compiled: build all modules, with ./mvnw verify", name)
        .isNotEmpty();
    return found;
  }

  private static final class Offender {
    final Pattern unused = Pattern.compile("");
  }
}
