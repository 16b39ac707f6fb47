package dev.sluice.cli.lock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.lock.LockInfo;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tools.jackson.jr.ob.JSON;

class LockViewTest {
  private static final LockInfo HELD =
      new LockInfo(
          "orders/42",
          Optional.of(
              new LockInfo.Holder(
                  "k3J9sQ2xAAAAAAAAAAAAAA",
                  3,
                  1763674600123456L,
                  Instant.parse("2026-11-20T21:33:49.123Z"),
                  Duration.ofMillis(29_870))),
          List.of(
              new LockInfo.Waiter("p0Zr7aaaBBBBBBBBBBBBBB", 1),
              new LockInfo.Waiter("Qx9cccccCCCCCCCCCCCCCC", 7)),
          1763674600124479L);
  private static final LockInfo FREE =
      new LockInfo("evil\u001b[2J\n\u202e\"\\", Optional.empty(), List.of(), 17);
  private static final LockInfo UNKNOWN = new LockInfo("new", Optional.empty(), List.of(), 0);

  @Test
  void tableHasOneLinePerLock() {
    assertThat(LockView.table(List.of(HELD, FREE, UNKNOWN)))
        .isEqualTo(
            """
            HOLDER    TOKEN             LEFT     WAITERS  NAME
            k3J9sQ2x  1763674600123456  29.8s    2        orders/42
            -         17                -        0        evil\\u001b[2J\\n\\u202e"\\\\
            -         -                 -        0        new
            """);
  }

  @Test
  void linesTellAllAboutAHeldLock() {
    assertThat(LockView.lines(HELD))
        .isEqualTo(
            """
            name        orders/42
            holder      k3J9sQ2xAAAAAAAAAAAAAA
            token       1763674600123456
            since       2026-11-20T21:33:49.123Z
            left        29.8s
            last token  1763674600124479
            waiters     2
              1         p0Zr7aaaBBBBBBBBBBBBBB
              2         Qx9cccccCCCCCCCCCCCCCC
            """);
  }

  @Test
  void linesTellThatALockIsFree() {
    assertThat(LockView.lines(UNKNOWN))
        .isEqualTo(
            """
            name        new
            holder      -
            last token  -
            waiters     0
            """);
  }

  @Test
  void jsonOfOneLockIsOneObject() {
    assertThat(LockView.json(HELD))
        .isEqualTo(
            """
            {"name":"orders/42","held":true,"holder":{"client":"k3J9sQ2xAAAAAAAAAAAAAA",\
            "attempt":3,"token":1763674600123456,"since":"2026-11-20T21:33:49.123Z",\
            "remainingMillis":29870},"lastToken":1763674600124479,"waiters":[\
            {"client":"p0Zr7aaaBBBBBBBBBBBBBB","attempt":1},\
            {"client":"Qx9cccccCCCCCCCCCCCCCC","attempt":7}]}""");
  }

  @Test
  void jsonOfManyIsAnArray() {
    assertThat(LockView.json(List.of())).isEqualTo("[]");
    assertThat(LockView.json(List.of(UNKNOWN, UNKNOWN)))
        .isEqualTo(
            """
            [{"name":"new","held":false,"lastToken":0,"waiters":[]},\
            {"name":"new","held":false,"lastToken":0,"waiters":[]}]""");
  }

  @Test
  void jsonIsSafeOnATerminalAndReadsBack() throws IOException {
    String json = LockView.json(FREE);
    assertThat(json).doesNotContain("\u001b", "\u202e", "\n");
    assertThat(JSON.std.mapFrom(json)).containsEntry("name", FREE.name());
  }

  @Test
  void waitLineTellsWhomWeWaitFor() {
    assertThat(WaitProgress.text(HELD, "Qx9cccccCCCCCCCCCCCCCC", Duration.ofMillis(12_345)))
        .isEqualTo("sluice: waiting for 'orders/42', 12.3s; held by k3J9sQ2x; 1 waits before us");
    assertThat(WaitProgress.text(UNKNOWN, "x", Duration.ofSeconds(61)))
        .isEqualTo("sluice: waiting for 'new', 1m01s");
  }
}
