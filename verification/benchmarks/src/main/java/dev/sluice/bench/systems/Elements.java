package dev.sluice.bench.systems;

import java.util.List;
import java.util.concurrent.CompletionStage;

/** A Bloom filter as callers use it. Safe for use by many threads. */
public interface Elements {
  /** Adds an element; says whether it was new. */
  boolean add(String element);

  /** The same without waiting. */
  CompletionStage<Boolean> addLater(String element);

  /** Says whether an element may be there. */
  boolean check(String element);

  /** The same without waiting. */
  CompletionStage<Boolean> checkLater(String element);

  /** Adds elements in one call; says how many were new. */
  long addAll(List<String> elements);

  /** Asks for elements in one call; says how many may be there. */
  long countMaybe(List<String> elements);
}
