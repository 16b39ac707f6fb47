package dev.sluice.bench.gate;

import dev.sluice.bench.report.Ratio;
import dev.sluice.bench.report.Spread;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.jr.ob.JSON;

/**
 * The results of a chapter's run, as ratios to the peers.
 *
 * @param chapter its name
 * @param extent how much was measured; runs of another extent are not comparable
 * @param source when, where and how it was made
 * @param ratios in the order of the report
 */
public record Run(String chapter, String extent, Map<String, String> source, List<Ratio> ratios) {
  private static final List<String> SOURCE = List.of("Date", "Command", "Machine", "Java");

  /**
   * Reads what a chapter has written.
   *
   * @param file {@code CHAPTER.json}
   * @throws IllegalArgumentException if it is none
   */
  public static Run read(Path file) throws IOException {
    String chapter = file.getFileName().toString().replaceFirst("\\.json$", "");
    try {
      Map<String, Object> root = JSON.std.mapFrom(Files.readString(file));
      Map<String, String> source = new LinkedHashMap<>();
      Map<?, ?> facts = map(root.get("facts"));
      for (String fact : SOURCE) {
        if (facts.get(fact) instanceof String text) {
          source.put(fact, text);
        }
      }
      if (!(root.get("extent") instanceof String extent)) {
        throw new IllegalArgumentException("it does not say how much was measured");
      }
      return new Run(chapter, extent, source, ratios(map(root.get("ratios")), Run::spread));
    } catch (JacksonException | IllegalArgumentException e) {
      throw new IllegalArgumentException(file + " is no report of a chapter: " + e.getMessage(), e);
    }
  }

  /** Reads ratios by workload, system and measure. */
  static List<Ratio> ratios(Map<?, ?> workloads, Function<Object, Spread> spread) {
    List<Ratio> all = new ArrayList<>();
    for (Map.Entry<?, ?> workload : workloads.entrySet()) {
      for (Map.Entry<?, ?> system : map(workload.getValue()).entrySet()) {
        for (Map.Entry<?, ?> measure : map(system.getValue()).entrySet()) {
          all.add(
              new Ratio(
                  "" + workload.getKey(),
                  "" + system.getKey(),
                  "" + measure.getKey(),
                  spread.apply(measure.getValue())));
        }
      }
    }
    return all;
  }

  private static Spread spread(Object fields) {
    Map<?, ?> value = map(fields);
    return new Spread(
        number(value, "median"),
        number(value, "least"),
        number(value, "most"),
        (int) number(value, "rounds"));
  }

  private static double number(Map<?, ?> value, String name) {
    if (value.get(name) instanceof Number number) {
      return number.doubleValue();
    }
    throw new IllegalArgumentException("a ratio must have the number '" + name + "': " + value);
  }

  static Map<?, ?> map(@Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      return map;
    }
    throw new IllegalArgumentException("an object is missing, there is: " + value);
  }
}
