package dev.sluice.bench.run;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ServerCountersTest {
  private static final String CPU =
      "# CPU\r\nused_cpu_sys:1.5\r\nused_cpu_user:2.25\r\nused_cpu_sys_children:9.0\r\n";

  @Test
  void countsWhatWasExecutedWithoutPingsAndOurOwnQuestions() {
    ServerCounters before =
        ServerCounters.parse(
            "# Commandstats\r\ncmdstat_get:calls=3,usec=1\r\ncmdstat_info:calls=5,usec=9\r\n", CPU);
    ServerCounters after =
        ServerCounters.parse(
            "cmdstat_get:calls=10,usec=1,usec_per_call=0.1\r\n"
                + "cmdstat_evalsha:calls=4,usec=1\r\n"
                + "cmdstat_client|setinfo:calls=2,usec=1\r\n"
                + "cmdstat_ping:calls=100,usec=1\r\n"
                + "cmdstat_info:calls=6,usec=9\r\n",
            CPU);

    assertThat(after.executedSince(before)).isEqualTo(7 + 4 + 2);
    assertThat(after.since(before, "get", "evalsha", "publish")).isEqualTo(11);
    assertThat(after.cpuSeconds()).isEqualTo(3.75);
  }
}
