package dev.sluice.bench.systems;

/** A library under test, as one kind of worker process uses it. */
public sealed interface Peer
    permits SystemKind,
        QuorumKind,
        LimitKind,
        BloomKind,
        CacheKind,
        FamilyKind,
        EngineKind,
        StockKind,
        InProcessKind,
        ScaleKind {
  /** {@return its name in the code, such as {@code REDISSON}} */
  String name();

  /** {@return its name in tables} */
  String id();

  /** {@return what is used of it, and how} */
  String description();

  /** {@return which chapter it takes part in} */
  String chapter();

  /** {@return how many masters its cluster has, 0 if it needs no cluster} */
  default int masters() {
    return 0;
  }
}
