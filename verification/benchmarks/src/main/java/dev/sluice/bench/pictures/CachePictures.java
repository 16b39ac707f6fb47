package dev.sluice.bench.pictures;

import static dev.sluice.bench.pictures.CacheChart.number;

import dev.sluice.bench.pictures.CacheChart.Bar;
import dev.sluice.bench.pictures.CacheChart.Bars;
import dev.sluice.bench.pictures.CacheChart.Curve;
import dev.sluice.bench.report.MarkdownTable;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The pictures of docs/cache-protection.md: what a database is asked behind an ordinary cache and
 * behind a guarded one, when keys expire together, when ids do not exist, and when a hot key
 * expires. Counted, on the store of this JVM.
 */
public final class CachePictures {
  private final Avalanche.Outcome avalanche;
  private final List<Penetration.Outcome> penetration;
  private final Breakdown.Outcome breakdown;

  private CachePictures(
      Avalanche.Outcome avalanche,
      List<Penetration.Outcome> penetration,
      Breakdown.Outcome breakdown) {
    this.avalanche = avalanche;
    this.penetration = penetration;
    this.breakdown = breakdown;
  }

  /** Plays all three, in a few seconds. */
  public static CachePictures play() throws InterruptedException {
    return new CachePictures(Avalanche.run(), Penetration.run(), Breakdown.run());
  }

  Avalanche.Outcome avalanche() {
    return avalanche;
  }

  List<Penetration.Outcome> penetration() {
    return penetration;
  }

  Breakdown.Outcome breakdown() {
    return breakdown;
  }

  static double peak(double[] values) {
    return Arrays.stream(values).max().orElse(0);
  }

  /** {@return each picture by the name of its file} */
  public Map<String, String> draw() {
    Map<String, String> pictures = new LinkedHashMap<>();
    pictures.put(
        "avalanche.svg",
        CacheChart.curves(
            "Avalanche: " + number(Avalanche.KEYS) + " keys stored together, for 60 s",
            "Queries a second at the database, by the quarter of a second",
            List.of(
                new Curve(
                    "cache-aside", "peak " + number(peak(avalanche.plain())), avalanche.plain()),
                new Curve(
                    "guarded, as it is",
                    "peak " + number(peak(avalanche.guarded())),
                    avalanche.guarded())),
            4,
            i -> number(Avalanche.Outcome.begin() + i * Avalanche.Outcome.bin()) + " s"));
    pictures.put(
        "penetration.svg",
        CacheChart.bars(
            "Penetration: " + number(Penetration.ASKED) + " questions for ids that do not exist",
            "Queries at the database",
            List.of(
                new Bars(
                    "every id another one",
                    penetration.stream().map(o -> new Bar(o.name(), o.random())).toList()),
                new Bars(
                    "the same hundred ids, again and again",
                    penetration.stream().map(o -> new Bar(o.name(), o.repeated())).toList()))));
    Breakdown.Load plain = breakdown.plain();
    Breakdown.Load guarded = breakdown.guarded();
    pictures.put(
        "breakdown.svg",
        CacheChart.curves(
            "Breakdown: a hot key expires, "
                + Breakdown.PROCESSES
                + " clients with "
                + Breakdown.READERS
                + " readers each",
            "Queries under way at the database; each takes 60 ms, the value lives 400 ms",
            List.of(
                new Curve("cache-aside", "most " + number(plain.most()), plain.running()),
                new Curve("guarded", "most " + number(guarded.most()), guarded.running())),
            10,
            i -> number(i * Breakdown.Load.STEP_MILLIS) + " ms"));
    return pictures;
  }

  /** {@return the numbers of all pictures, in Markdown} */
  public String table() {
    Penetration.Outcome before = penetration.get(0);
    Penetration.Outcome after = penetration.get(penetration.size() - 1);
    return new MarkdownTable("", "counted", "cache-aside", "guarded")
        .row(
            "avalanche",
            "most queries a second",
            number(peak(avalanche.plain())),
            number(peak(avalanche.guarded())))
        .row(
            "penetration",
            "queries for " + number(Penetration.ASKED) + " random absent ids",
            number(before.random()),
            number(after.random()))
        .row(
            "",
            "the same for a hundred of them, repeated",
            number(before.repeated()),
            number(after.repeated()))
        .row(
            "breakdown",
            "most concurrent queries",
            number(breakdown.plain().most()),
            number(breakdown.guarded().most()))
        .row(
            "",
            "queries in two seconds",
            number(breakdown.plain().loads()),
            number(breakdown.guarded().loads()))
        .toString();
  }
}
