package dev.sluice.jdbc.dialect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Doctor;
import dev.sluice.Finding;
import dev.sluice.Sluice;
import dev.sluice.jdbc.JdbcBackend;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The part of a URL that is shown. */
class JdbcUrlsTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "jdbc:postgresql://h/db?user=u&password=hush | jdbc:postgresql://h/db",
        "jdbc:mariadb://user:hush@h/db?x=y | jdbc:mariadb://***@h/db",
        "jdbc:mysql://u:hush@h1,v:hush@h2/db | jdbc:mysql://***@h2/db",
        "jdbc:h2:mem:a;USER=sa;PASSWORD=hush | jdbc:h2:mem:a",
        "jdbc:sqlite:/home/me (x)/a.db | jdbc:sqlite:/home/me (x)/a.db",
        "jdbc:mysql://user:hu?sh@h/db | jdbc:mysql:***",
        "jdbc:mysql://user:hu&s;h@h/db | jdbc:mysql:***",
        "jdbc:postgresql://h/db?user=u&password=hu@sh | jdbc:postgresql:***",
        "JDBC:MySQL://address=(host=h)(user=u)(password=hush)/db | jdbc:mysql:***",
        "jdbc:mysql://address=(host=h)(user=u)(password=hu@sh)/db | jdbc:mysql:***",
        "jdbc:mariadb://(host=h,user=u,password=hush)/db | jdbc:mariadb:***",
        "jdbc:other://u:hu?sh@h | ***"
      })
  void noSecretIsShown(String url, String place) {
    assertThat(JdbcUrls.place(url)).isEqualTo(place).doesNotContain("hush", "hu@", "@sh");
  }

  /** The driver is given what is left, and ignores it on most databases. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:postgresql://h/db?user=u&password=hush&namspace=shop",
        "jdbc:mariadb://h/db?name-space=shop",
        "jdbc:h2:mem:a;NAMESPCE=shop",
        "jdbc:sqlite:a.db?namespaces=shop"
      })
  void aMisspeltNamespaceIsRefused(String url) {
    assertThatThrownBy(() -> JdbcBackend.builder().url(url))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("an option of the URL must be spelled 'namespace'")
        .hasMessageNotContaining("hush");
  }

  @Test
  void theDriverIsGivenOptionsThatSluiceDoesNotKnow() {
    assertThatThrownBy(() -> Sluice.connect("jdbc:h2:mem:options;FOO=BAR"))
        .hasStackTraceContaining("Unsupported connection setting \"FOO\"");
  }

  @Test
  void theDoctorDoesNotRepeatWhatADriverRepeats() {
    List<Finding> findings = Doctor.examine(List.of("jdbc:mariadb:db/x?user=u&password=hush"));
    assertThat(findings).singleElement().extracting(Finding::id).isEqualTo("unreachable");
    assertThat(findings.toString()).doesNotContain("hush");
  }
}
