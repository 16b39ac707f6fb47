package dev.sluice.bench.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.bench.systems.Allowance;
import dev.sluice.bench.systems.Allowance.Extra;
import dev.sluice.bench.systems.Candidates;
import dev.sluice.bench.systems.LockUse;
import dev.sluice.bench.systems.Mutex;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs in a worker process of its own. */
class WorkerIT {
  private Bench bench;
  private WorkerProcesses fleet;

  @BeforeEach
  void start() throws IOException {
    bench = Bench.start(List.of(), 0);
    fleet = bench.fleet(Candidates.of("engines", "sluice-memory"));
  }

  @AfterEach
  void stop() {
    bench.close();
  }

  @Test
  void aJobKeepsWhatTheNextOneNeeds() throws Exception {
    fleet.run(
        worker -> worker.keep("lock", () -> worker.library().lock("a", LockUse.PLAIN)).acquire());
    fleet.run(worker -> worker.<Mutex>forget("lock").release());

    assertThat(fleet.<Long>ask(worker -> ProcessHandle.current().pid()))
        .isNotEqualTo(ProcessHandle.current().pid());
    assertThatThrownBy(() -> fleet.run(worker -> worker.<Mutex>forget("lock").release()))
        .hasMessageContaining("no job has made 'lock'");
  }

  @Test
  void whatALibraryDoesNotHaveIsAnError() {
    assertThatThrownBy(
            () ->
                fleet.run(
                    worker ->
                        worker
                            .library()
                            .limit("a", List.of(), Allowance.ample().with(Extra.IMPATIENT))))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("the library has no limiter that is ");
    assertThatThrownBy(() -> fleet.run(worker -> worker.loop().start()))
        .hasMessageContaining("no callers were prepared");
  }

  @Test
  void aCandidateOfAnotherChapterIsRefusedByName() {
    assertThatThrownBy(() -> Candidates.of("locks", "curator"))
        .hasMessage("no system 'curator'; there are [sluice, redisson, spring, raw, raw-fenced]");
  }
}
