package dev.sluice.cli.bloom;

import dev.sluice.MissingDataException;
import dev.sluice.Sluice;
import dev.sluice.bloom.BloomFilter;
import dev.sluice.bloom.Funnel;
import dev.sluice.cli.store.StoreOption;
import dev.sluice.cli.terminal.Arguments;
import dev.sluice.cli.terminal.Exit;
import dev.sluice.cli.terminal.InputLines;
import dev.sluice.cli.terminal.Signals;
import dev.sluice.cli.terminal.StatusLine;
import dev.sluice.cli.terminal.Text;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** A filter, and elements of the command line or of the input. */
final class BloomElements {
  static final String INPUT = "-";

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "NAME", description = "The filter: 1 to 512 bytes.")
  private String name;

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "ITEM",
      description = "An element. '-' alone: each line of the input is one.")
  private List<String> items = List.of();

  @SuppressWarnings("NullAway.Init")
  BloomElements() {}

  String name() {
    return name;
  }

  /**
   * Runs an action with all elements; elements of the input come in batches.
   *
   * @param progress whether to say on the terminal how far it is
   * @return the exit code
   */
  int each(boolean progress, BiConsumer<BloomFilter<String>, List<String>> use) {
    Arguments.checkDecoded(spec.commandLine(), items);
    Arguments.checkDecoded(spec.commandLine(), List.of(name));
    boolean input = items.equals(List.of(INPUT));
    if (!input && items.contains(INPUT)) {
      throw new ParameterException(
          spec.commandLine(), "'-' stands alone: it is for the lines of the input");
    }
    try (Sluice sluice = StoreOption.of(spec).connectToFilters()) {
      BloomFilter<String> filter = sluice.bloomFilter(name, Funnel.utf8());
      if (input) {
        return eachLine(progress, lines -> use.accept(filter, lines));
      }
      use.accept(filter, items);
      return Exit.OK;
    } catch (MissingDataException e) {
      Text.report(spec.commandLine().getErr(), e.getMessage());
      return Exit.NO_INPUT;
    }
  }

  private int eachLine(boolean progress, Consumer<List<String>> use) {
    AtomicLong done = new AtomicLong();
    long start = System.nanoTime();
    try (Signals signals = Signals.interrupting(Thread.currentThread())) {
      try (FileChannel in = new FileInputStream(FileDescriptor.in).getChannel();
          StatusLine line =
              progress
                  ? StatusLine.start(
                      spec.commandLine().getErr(),
                      () -> BloomView.progress(done.get(), System.nanoTime() - start))
                  : null) {
        InputLines lines = new InputLines(in);
        for (List<String> some = lines.next(); !some.isEmpty(); some = lines.next()) {
          use.accept(some);
          done.addAndGet(some.size());
        }
        return Exit.OK;
      } catch (ClosedByInterruptException e) {
        Thread.interrupted();
        Text.report(
            spec.commandLine().getErr(),
            "stopped after " + done + " elements; the rest was not read");
        return signals.exitCode();
      } catch (InputLines.BadLine e) {
        Text.report(
            spec.commandLine().getErr(),
            e.getMessage() + "; " + done + " elements before it were read");
        return Exit.FOREIGN_DATA;
      } catch (IOException e) {
        Text.report(spec.commandLine().getErr(), "cannot read the input: " + e.getMessage());
        return Exit.NO_INPUT;
      }
    }
  }
}
