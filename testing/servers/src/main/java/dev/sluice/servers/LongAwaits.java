package dev.sluice.servers;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Lets Awaitility wait for a minute where a test names no bound. Its own ten seconds are too short
 * for a machine that runs other builds. Found by its entry in {@code META-INF/services}.
 */
public final class LongAwaits implements LauncherSessionListener {
  @Override
  public void launcherSessionOpened(LauncherSession session) {
    Awaitility.setDefaultTimeout(Duration.ofMinutes(1));
  }
}
