package dev.sluice.bench.gate;

import dev.sluice.bench.report.Ratio;
import dev.sluice.bench.report.Spread;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import tools.jackson.core.JacksonException;
import tools.jackson.jr.ob.JSON;

/**
 * The runs that were accepted last, one of each extent and chapter, in a file that is kept with the
 * sources. A value: changes are another one.
 *
 * @param runs by extent and chapter
 */
public record Accepted(Map<String, Map<String, Run>> runs) {
  private static final MathContext FIGURES = new MathContext(4);

  /**
   * Reads the file.
   *
   * @return nothing accepted if there is none
   * @throws IllegalArgumentException if it is not what {@link #write} writes
   */
  public static Accepted read(Path file) throws IOException {
    Accepted all = new Accepted(Map.of());
    if (!Files.exists(file)) {
      return all;
    }
    try {
      for (Map.Entry<?, ?> extent : JSON.std.mapFrom(Files.readString(file)).entrySet()) {
        for (Map.Entry<?, ?> chapter : Run.map(extent.getValue()).entrySet()) {
          all = all.with(run("" + chapter.getKey(), "" + extent.getKey(), chapter.getValue()));
        }
      }
    } catch (JacksonException | IllegalArgumentException e) {
      throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
    }
    return all;
  }

  private static Run run(String chapter, String extent, Object value) {
    Map<?, ?> fields = Run.map(value);
    Map<String, String> source = new LinkedHashMap<>();
    Run.map(fields.get("source")).forEach((name, text) -> source.put("" + name, "" + text));
    return new Run(
        chapter, extent, source, Run.ratios(Run.map(fields.get("ratios")), Accepted::spread));
  }

  private static Spread spread(Object numbers) {
    if (numbers instanceof List<?> list
        && list.size() == 4
        && list.stream().allMatch(Number.class::isInstance)) {
      double[] values =
          list.stream().map(Number.class::cast).mapToDouble(Number::doubleValue).toArray();
      return new Spread(values[0], values[1], values[2], (int) values[3]);
    }
    throw new IllegalArgumentException(
        "a ratio must be [median, least, most, rounds], there is: " + numbers);
  }

  /** {@return the run of this chapter and extent, if one was accepted} */
  public Optional<Run> run(String extent, String chapter) {
    return Optional.ofNullable(chapters(extent).get(chapter));
  }

  /** {@return everything accepted of this extent, by chapter} */
  public Map<String, Run> chapters(String extent) {
    return runs.getOrDefault(extent, Map.of());
  }

  /** {@return the same with this run in place of its predecessor} */
  public Accepted with(Run run) {
    Map<String, Map<String, Run>> changed = new TreeMap<>(runs);
    Map<String, Run> chapters = new TreeMap<>(chapters(run.extent()));
    chapters.put(run.chapter(), run);
    changed.put(run.extent(), chapters);
    return new Accepted(changed);
  }

  /**
   * {@return the same with this run beside what was accepted: each spread reaches as far as one of
   * the two, so that what differs from run to run does not count as a change}
   */
  public Accepted widenedBy(Run run) {
    Run known = run(run.extent(), run.chapter()).orElse(run);
    List<Ratio> ratios = new ArrayList<>();
    for (Ratio ratio : run.ratios()) {
      Spread now = ratio.value();
      Spread both =
          known.ratios().stream()
              .filter(each -> Gate.isSame(each, ratio))
              .map(each -> joined(each.value(), now))
              .findFirst()
              .orElse(now);
      ratios.add(new Ratio(ratio.workload(), ratio.system(), ratio.measure(), both));
    }
    return with(new Run(run.chapter(), run.extent(), run.source(), ratios));
  }

  private static Spread joined(Spread one, Spread other) {
    return new Spread(
        other.median(),
        Math.min(one.least(), other.least()),
        Math.max(one.most(), other.most()),
        Math.max(one.rounds(), other.rounds()));
  }

  /** Writes the file, with four figures of each number. */
  public void write(Path file) throws IOException {
    Map<String, Object> root = new LinkedHashMap<>();
    runs.forEach(
        (extent, chapters) -> {
          Map<String, Object> each = new LinkedHashMap<>();
          chapters.forEach((chapter, run) -> each.put(chapter, fields(run)));
          root.put(extent, each);
        });
    Files.writeString(file, JSON.std.with(JSON.Feature.PRETTY_PRINT_OUTPUT).asString(root) + "\n");
  }

  private static Map<String, Object> fields(Run run) {
    Map<String, Map<String, Map<String, Object>>> ratios = new LinkedHashMap<>();
    for (Ratio ratio : run.ratios()) {
      Spread value = ratio.value();
      ratios
          .computeIfAbsent(ratio.workload(), workload -> new LinkedHashMap<>())
          .computeIfAbsent(ratio.system(), system -> new LinkedHashMap<>())
          .put(
              ratio.measure(),
              List.of(
                  figures(value.median()),
                  figures(value.least()),
                  figures(value.most()),
                  value.rounds()));
    }
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("source", run.source());
    fields.put("ratios", ratios);
    return fields;
  }

  private static BigDecimal figures(double value) {
    BigDecimal rounded = BigDecimal.valueOf(value).round(FIGURES).stripTrailingZeros();
    return rounded.scale() < 0 ? rounded.setScale(0) : rounded;
  }
}
