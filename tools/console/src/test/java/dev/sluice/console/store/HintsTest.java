package dev.sluice.console.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Finding;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands that people copy. */
class HintsTest {
  private final Hints hints = new Hints("redis://localhost:6379");

  private static Finding finding(String where, String fix) {
    return new Finding(Finding.Severity.WARNING, "id", where, "what", "risk", fix);
  }

  @Test
  void commandsNameTheStoreAndQuoteWhatAShellWouldRead() {
    assertThat(hints.sluice("unlock", "orders/42", "--force"))
        .isEqualTo("sluice unlock --url redis://localhost:6379 orders/42 --force");
    assertThat(hints.sluice("unlock", "a b; rm 'x'", "--force"))
        .isEqualTo("sluice unlock --url redis://localhost:6379 'a b; rm '\\''x'\\''' --force");
    assertThat(new Hints("jdbc:sqlite:/home/me/my data.db").sluice("show", "x"))
        .isEqualTo("sluice show --url 'jdbc:sqlite:/home/me/my data.db' x");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"redis://me:secret@localhost", "jdbc:postgresql://db/x?user=me&password=secret"})
  void noSecretIsShownAndNoOtherStoreIsReached(String url) {
    assertThat(new Hints(url).sluice("show", "x")).isEqualTo("sluice show --url \"$SLUICE_URL\" x");
    assertThat(new Hints(null).sluice("show", "x"))
        .isEqualTo("sluice show --url \"$SLUICE_URL\" x");
  }

  @Test
  void aFixIsACommandWhereOneLineIsEnough() {
    Finding setting = finding("Redis at db-1.example:6380", "CONFIG SET timeout 0");
    assertThat(hints.fix(setting))
        .isEqualTo(Optional.of("redis-cli -h db-1.example -p 6380 CONFIG SET timeout 0"));
    assertThat(new Hints("rediss://db-1.example:6380").fix(setting))
        .isEqualTo(Optional.of("redis-cli -h db-1.example -p 6380 --tls CONFIG SET timeout 0"));
    assertThat(hints.fix(finding("Redis at db:6379", "CONFIG SET maxmemory 1gb, or what it can")))
        .isEmpty();
    assertThat(hints.fix(finding("the quorum", "CONFIG SET timeout 0"))).isEmpty();
    assertThat(hints.fix(finding("Redis at $(reboot):6379", "CONFIG SET timeout 0"))).isEmpty();
  }
}
