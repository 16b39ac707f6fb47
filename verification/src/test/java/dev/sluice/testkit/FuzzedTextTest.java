package dev.sluice.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.ForeignDataException;
import dev.sluice.Sluice;
import dev.sluice.guard.FencingHeader;
import dev.sluice.guard.FencingToken;
import dev.sluice.limit.CarryOver;
import dev.sluice.limit.Limit;
import dev.sluice.limit.PolicyBook;
import dev.sluice.limit.PolicyEntry;
import dev.sluice.limit.RateLimiterOptions;
import dev.sluice.memory.MemoryBackend;
import dev.sluice.servers.Fuzz;
import dev.sluice.spi.BloomHeader;
import dev.sluice.spi.BloomPart;
import dev.sluice.spi.NoteBackend;
import dev.sluice.text.Names;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Texts and numbers of other parties that core reads. */
@Timeout(60)
class FuzzedTextTest {
  private static final int CASES = 1_000;

  /** What a parser made of a text; empty if it said that the text is none. */
  private static <T> Optional<T> read(Function<String, T> parser, String text) {
    try {
      return Optional.of(parser.apply(text));
    } catch (IllegalArgumentException e) {
      assertThat(e).isExactlyInstanceOf(IllegalArgumentException.class).hasNoCause();
      assertThat(e.getMessage()).isNotBlank();
      return Optional.empty();
    }
  }

  @Test
  void namesComeBackFromTheirKeys() {
    Fuzz.each(
        CASES,
        fuzz ->
            read(Names::check, fuzz.text(12))
                .ifPresent(
                    name -> {
                      assertThat(name.getBytes(UTF_8)).hasSizeBetween(1, 512);
                      String encoded = Names.encode(name);
                      assertThat(encoded).doesNotContainPattern("[{}\\p{Cntrl}]");
                      assertThat(Names.decode(encoded)).isEqualTo(name);
                    }));
  }

  @Test
  void differentNamesHaveDifferentKeys() {
    Fuzz.each(
        CASES,
        fuzz -> {
          String one = fuzz.text(6);
          String other = fuzz.mutate(one);
          if (!one.equals(other)
              && read(Names::check, one).isPresent()
              && read(Names::check, other).isPresent()) {
            assertThat(Names.encode(one)).isNotEqualTo(Names.encode(other));
          }
        });
  }

  /** Keys are found at a store where others write too. */
  @Test
  void whatIsNoEncodedNameIsReadOrSaidToBeNone() {
    Fuzz.each(
        CASES,
        fuzz -> {
          String found = fuzz.mutate(Names.encode("a{b}%c\u0001é"));
          read(Names::decode, found)
              .ifPresent(name -> assertThat(Names.decode(Names.encode(name))).isEqualTo(name));
        });
  }

  @Test
  void limitsAreReadOrRefused() {
    Fuzz.each(
        CASES,
        fuzz -> {
          String text =
              fuzz.pick(
                  "token-bucket 10/m burst 5",
                  "sliding-window 100/1h slots 60 name user shared",
                  "leaky-queue 5/s places 7",
                  "gcra 3/250ms",
                  "fixed-window 1/366d name x");
          read(Limit::parse, fuzz.mutate(text))
              .ifPresent(limit -> assertThat(Limit.parse(limit.toString())).isEqualTo(limit));
        });
  }

  @Test
  void fencingTokensAreReadToTheLetterOrRefused() {
    Fuzz.each(
        CASES,
        fuzz -> {
          String text = fuzz.mutate(fuzz.pick("17:kq3V.9", "9007199254740991:a"));
          Optional<FencingToken> token = read(FencingToken::parse, text);
          token.ifPresent(found -> assertThat(found).hasToString(text));
          assertThat(FencingHeader.refusal(FencingHeader.CONFLICT, List.of(text))).isEqualTo(token);
        });
  }

  @Test
  void headersOfFiltersAreReadOrForeign() {
    Fuzz.each(
        CASES,
        fuzz -> {
          long[] words = new long[BloomHeader.WORDS];
          for (int i = 0; i < words.length; i++) {
            words[i] = fuzz.number();
          }
          if (fuzz.below(2) == 0) {
            words[0] = 0x534C_4201_0000_0000L | fuzz.below(Integer.MAX_VALUE);
          }
          try {
            BloomHeader header = BloomHeader.read(words, BloomPart.of("any", 0), "here");
            assertThat(String.valueOf(header)).isNotEmpty();
          } catch (ForeignDataException e) {
            assertThat(e).hasMessageStartingWith("here ");
          }
        });
  }

  /** Each client with the rights may write the policy book. */
  @Test
  void policiesAreReadOrForeign() {
    Limit limit = Limit.parse("sliding-window 100/1h slots 60 name user");
    try (MemoryBackend store = new MemoryBackend();
        Sluice sluice = Sluice.builder().backend(store).build()) {
      PolicyBook book = sluice.policyBook();
      RateLimiterOptions policy =
          RateLimiterOptions.of(limit).override("partner\\{7}\n", limit).plan("pro", limit);
      book.set("api", policy, "ops", "why\r\n");
      book.set("api", policy, "ops", "");
      NoteBackend notes = store.notes();
      String text = notes.all("policies").toCompletableFuture().join().get("api");
      AtomicReference<String> present = new AtomicReference<>(text);
      AtomicInteger read = new AtomicInteger();
      Fuzz.each(
          CASES,
          fuzz -> {
            String found = fuzz.mutate(text);
            assertThat(notes.replace("policies", "api", present.getAndSet(found), found))
                .isCompletedWithValue(true);
            try {
              PolicyEntry entry = book.find("api").orElseThrow();
              RateLimiterOptions again =
                  RateLimiterOptions.of(entry.limits())
                      .overrides(entry.overrides())
                      .plans(entry.plans())
                      .version(entry.version(), CarryOver.KEEP);
              assertThat(again.limits()).isEqualTo(entry.limits());
              read.incrementAndGet();
            } catch (ForeignDataException e) {
              assertThat(e)
                  .hasMessageStartingWith("the policy of limiter 'api' in the policy book")
                  .message()
                  .doesNotContainPattern("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]");
            }
          });
      assertThat(read).hasPositiveValue();
    }
  }

  @Test
  void urisThatNobodyOpensAreRefusedWithoutTheirSecrets() {
    Fuzz.each(
        CASES / 10,
        fuzz -> {
          String uri = fuzz.pick("nobody://", "", "redis//", "zookeeper:", "//");
          uri += fuzz.text(3) + "user:hunter2" + fuzz.text(3) + "hunter2@host:1/0";
          String given = uri;
          if (!given.startsWith("memory:")) {
            assertThatThrownBy(() -> Sluice.connect(given).close())
                .isExactlyInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("hunter2");
          }
        });
  }

  /** A check that cannot fail is none. */
  @Test
  void aCaseThatFailsNamesItsSeed() {
    assertThatThrownBy(() -> Fuzz.each(10, fuzz -> assertThat(fuzz.below(3)).isLessThan(2)))
        .isInstanceOf(AssertionError.class)
        .hasMessageMatching(
            "(?s)case \\d of -Dsluice.fuzz.seed=-?\\d+( -Dsluice.fuzz.times=\\d+)?: .*");
  }

  /** The seed alone ends before a case that only a longer search reaches. */
  @Test
  void aFailureOfALongerSearchNamesItsLength() {
    Map<String, String> search = Map.of("sluice.fuzz.seed", "7", "sluice.fuzz.times", "3");
    Map<String, String> before = new HashMap<>();
    search.forEach((name, value) -> before.put(name, System.setProperty(name, value)));
    AtomicInteger cases = new AtomicInteger();
    try {
      assertThatThrownBy(
              () ->
                  Fuzz.each(
                      10, fuzz -> assertThat(cases.incrementAndGet()).isLessThanOrEqualTo(25)))
          .hasMessageStartingWith("case 25 of -Dsluice.fuzz.seed=7 -Dsluice.fuzz.times=3: ");
    } finally {
      before.forEach(
          (name, value) -> {
            if (value == null) {
              System.clearProperty(name);
            } else {
              System.setProperty(name, value);
            }
          });
    }
  }
}
