package dev.sluice.redis.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.ForeignDataException;
import dev.sluice.redis.RedisStoreUnderTest;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.spi.Backend;
import dev.sluice.spi.NoteBackend;
import dev.sluice.testkit.ContractFixture;
import dev.sluice.testkit.Notes;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.testkit.limit.PolicyBooks;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Redis, on each server of this machine: notes. */
@EachRedis
class RedisNoteContractIT extends ContractFixture implements Notes, PolicyBooks {
  private final RedisServer server;

  RedisNoteContractIT(RedisServer server) {
    this.server = server;
  }

  @Override
  protected StoreUnderTest openStore() {
    return new RedisStoreUnderTest(server);
  }

  @Test
  void storedAsDocumentedAndBoundToGo() throws Exception {
    try (Backend backend = store().connect()) {
      NoteBackend notes = backend.notes();
      notes.put("report", "a", "text of it", 60_000_000).toCompletableFuture().get();
      assertThat(String.valueOf(server.call("HGET", "sl:{report}:notes", "a")))
          .matches("\\d{16} text of it");
      assertThat((long) server.call("PTTL", "sl:{report}:notes")).isBetween(1L, 7_200_000L);
    }
  }

  @Test
  void deadNotesMakeRoomAndReadersDropThem() throws Exception {
    try (Backend backend = store().connect()) {
      NoteBackend notes = backend.notes();
      for (int i = 0; i < NoteBackend.MAX_NOTES; i++) {
        server.call("HSET", "sl:{report}:notes", "dead-" + i, "1 text");
      }
      assertThat(notes.put("report", "a", "x", 60_000_000).toCompletableFuture().get()).isTrue();
      assertThat(server.call("HLEN", "sl:{report}:notes")).isEqualTo(1L);
      server.call("HSET", "sl:{report}:notes", "dead", "1 text");
      notes.all("report").toCompletableFuture().get(30, TimeUnit.SECONDS);
      assertThat(server.call("HLEN", "sl:{report}:notes")).isEqualTo(1L);
    }
  }

  @Test
  void foreignDataIsReportedAndLeftAlone() throws Exception {
    try (Backend backend = store().connect()) {
      NoteBackend notes = backend.notes();
      server.call("SET", "sl:{report}:notes", "text");
      assertThatThrownBy(() -> notes.put("report", "a", "x", 1_000_000).toCompletableFuture().get())
          .hasCauseInstanceOf(ForeignDataException.class)
          .hasMessageContaining("sl:{report}:notes");
      assertThatThrownBy(() -> notes.all("report").toCompletableFuture().get())
          .hasCauseInstanceOf(ForeignDataException.class);
      assertThat(server.call("PTTL", "sl:{report}:notes")).as("untouched").isEqualTo(-1L);
      server.call("DEL", "sl:{report}:notes");
      server.call("HSET", "sl:{report}:notes", "field", "no time");
      assertThatThrownBy(() -> notes.all("report").toCompletableFuture().get())
          .hasCauseInstanceOf(ForeignDataException.class);
    }
  }
}
