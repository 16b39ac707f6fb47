package dev.sluice.testkit.sim;

public final class Main {
  public static void main(String[] args) {
    java.util.logging.Logger.getLogger("dev.sluice").setLevel(java.util.logging.Level.OFF);
    long from = Long.parseLong(args[0]), n = Long.parseLong(args[1]);
    long t0 = System.nanoTime();
    long steps = 0, ev = 0;
    int bad = 0;
    for (long s = from; s < from + n; s++) {
      Simulation.Result r;
      try {
        r = Simulation.run(s);
      } catch (Throwable e) {
        System.out.println("seed " + s + " threw");
        e.printStackTrace(System.out);
        if (++bad > 3) break;
        continue;
      }
      steps += r.steps();
      ev += r.history().events().size();
      if (r.violation().isPresent()) {
        System.out.println(
            args.length > 2
                ? r.report(Integer.parseInt(args[2]))
                : r.seed() + " " + r.violation().get());
        if (++bad >= 20) break;
      }
    }
    System.out.printf(
        "%.1f/s, %d steps, %d events, %d bad%n",
        n / ((System.nanoTime() - t0) / 1e9), steps / n, ev / n, bad);
  }
}
