package dev.sluice.console;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** The lines of one logger, while this is open. */
final class HeardLog extends Handler implements AutoCloseable {
  private final Logger logger;
  private final List<String> lines = new CopyOnWriteArrayList<>();

  private HeardLog(String name) {
    logger = Logger.getLogger(name);
    setFormatter(new SimpleFormatter());
    logger.addHandler(this);
    logger.setUseParentHandlers(false);
  }

  static HeardLog of(String name) {
    return new HeardLog(name);
  }

  List<String> lines() {
    return lines;
  }

  @Override
  public void publish(LogRecord entry) {
    lines.add(getFormatter().formatMessage(entry));
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
    logger.setUseParentHandlers(true);
  }
}
