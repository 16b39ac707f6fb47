package dev.sluice.bench.report;

/** The unit of a measurement. */
public enum Metric {
  OPS("ops/s"),
  OP_P50("op p50 us"),
  OP_P99("op p99 us"),
  WAIT_P50("wait p50 us"),
  WAIT_P99("wait p99 us"),
  SENT("sent/op"),
  EXECUTED("executed/op"),
  PUBLISHED("messages/op"),
  THREAD_SHARE("slowest/fastest thread"),
  PROCESS_SHARE("most/least process"),
  CLIENT_CPU("client CPU us/op"),
  SERVER_CPU("server CPU us/op"),
  SAMPLES("samples"),
  HOLD_SECONDS("held s"),
  RENEWALS("renewals"),
  LEASES("leases"),
  STILL_HELD("still held"),
  DOUBTS("in doubt"),
  LOST("lost"),
  CLIENT_CPU_SHARE("client CPU of a core"),
  SERVER_CPU_SHARE("server CPU of a core"),
  KEYS("keys/name"),
  BYTES("bytes/name"),
  TTL_SECONDS("expires in s at most"),
  KEYS_LATER("keys/name afterwards"),
  REFUSED("refused/op"),
  FAILED("failures"),
  SCRIPTS("scripts/op"),
  SCRIPT_CPU("in scripts us/op"),
  ADMITTED("admitted"),
  EXCESS("over-admitted"),
  UNUSED("unused %"),
  BYTES_USED("used_memory/name"),
  KEY_LENGTH("length of a key"),
  LINES("lines/s"),
  LINES_PER_CORE("lines/s per core"),
  COMMAND_CPU("in commands us/op"),
  LONGEST("longest command ms"),
  WRONG("wrong maybe"),
  ACCURACY("measured/requested"),
  EXPIRIES("expiries"),
  SINGLE_LOADS("with one load %"),
  LOADS("loads"),
  MAX_LOADS("most loads"),
  WAITERS("waiters"),
  AFTER_P50("answered after p50 ms"),
  AFTER_P99("answered after p99 ms"),
  ALL_ANSWERED("all answered after s"),
  PEAK("peak/mean"),
  SOLD("sold"),
  OVERSOLD("oversold"),
  MEDIAN_MILLIS("p50 ms"),
  P99_MILLIS("p99 ms"),
  NANOS("ns/op"),
  ALLOCATED("allocated bytes/op"),
  HAND_OVER_P50("hand-over p50 us"),
  HAND_OVER_P99("hand-over p99 us"),
  WAITER_BYTES("bytes/waiter"),
  CONNECTION_BYTES("bytes/connection"),
  MEASURED("measured"),
  PREDICTED("predicted"),
  OFF_BY("off by x"),
  UTILISATION("busiest server %");

  private final String title;

  Metric(String title) {
    this.title = title;
  }

  /** {@return the head of its column} */
  public String title() {
    return title;
  }
}
