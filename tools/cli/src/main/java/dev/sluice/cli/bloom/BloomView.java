package dev.sluice.cli.bloom;

import dev.sluice.bloom.BloomInfo;
import dev.sluice.bloom.BloomSpec;
import dev.sluice.bloom.Creation;
import dev.sluice.cli.terminal.DurationText;
import dev.sluice.cli.terminal.Text;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import tools.jackson.jr.ob.JSON;

/** Formats Bloom filters as lines and as JSON. The names of the JSON fields are a promise. */
final class BloomView {
  private BloomView() {}

  static String line(String name, BloomSpec size, Creation creation) {
    String shown = "'" + Text.visible(name) + "'";
    return switch (creation) {
      case CREATED ->
          "created "
              + shown
              + ", "
              + Text.bytes(size.partitions() * (size.bitsPerPartition() / 8.0))
              + " in "
              + size.partitions()
              + (size.partitions() == 1 ? " key" : " keys");
      case EXISTS -> shown + " is there already";
      case EXISTS_WITH_OTHER_SPEC -> shown + " is there with another size, and stays as it is";
    };
  }

  static String json(String name, BloomSpec size, Creation creation) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("name", name);
    fields.put("created", creation == Creation.CREATED);
    fields.put("sizeAsAsked", creation != Creation.EXISTS_WITH_OTHER_SPEC);
    return write(fields);
  }

  static String line(long all, long fresh) {
    return "added " + all + ", " + fresh + " of them new";
  }

  static String json(String name, long all, long fresh) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("name", name);
    fields.put("added", all);
    fields.put("new", fresh);
    return write(fields);
  }

  static String json(String element, String answer) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("answer", answer);
    fields.put("element", element);
    return write(fields);
  }

  static String progress(long done, long nanos) {
    return "sluice: "
        + Text.brief(done)
        + " elements, "
        + Text.brief((long) (done / (nanos / 1e9)))
        + "/s";
  }

  static String lines(BloomInfo info) {
    StringBuilder out = new StringBuilder();
    line(out, "name", Text.visible(info.name()));
    line(out, "elements", "about " + info.approximateCount() + " of " + info.expectedInsertions());
    line(
        out,
        "wrong maybe",
        String.format(
            Locale.ROOT,
            "%.3g now, %.3g when full",
            info.currentFalsePositiveRate(),
            info.falsePositiveRate()));
    line(
        out,
        "bits",
        String.format(
            Locale.ROOT,
            "%d x %d, %.1f %% set, %d of each element",
            info.partitions(),
            info.bitsPerPartition(),
            100 * info.fill(),
            info.hashes()));
    if (info.missingPartitions() > 0) {
      line(out, "lost", info.missingPartitions() + " of " + info.partitions() + " keys");
    }
    line(out, "generation", String.valueOf(info.generation()));
    if (info.rebuilding()) {
      line(out, "rebuild", "under way");
    }
    line(
        out,
        "expires",
        info.timeToLive().map(left -> "in " + DurationText.brief(left)).orElse("-"));
    return out.toString();
  }

  private static void line(StringBuilder out, String label, String value) {
    out.append(String.format("%-11s %s%n", label, value));
  }

  static String json(BloomInfo info) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("name", info.name());
    fields.put("expectedInsertions", info.expectedInsertions());
    fields.put("falsePositiveRate", info.falsePositiveRate());
    fields.put("hashes", info.hashes());
    fields.put("bitsPerPartition", info.bitsPerPartition());
    fields.put("partitions", info.partitions());
    fields.put("missingPartitions", info.missingPartitions());
    fields.put("bitsSet", info.bitsSet());
    fields.put("fill", info.fill());
    fields.put("approximateCount", info.approximateCount());
    fields.put("currentFalsePositiveRate", info.currentFalsePositiveRate());
    fields.put("generation", info.generation());
    fields.put("rebuilding", info.rebuilding());
    info.timeToLive().ifPresent(left -> fields.put("timeToLiveMillis", left.toMillis()));
    return String.format("%s%n", write(fields));
  }

  private static String write(Map<String, Object> fields) {
    return Text.visibleJson(JSON.std.asString(fields));
  }
}
