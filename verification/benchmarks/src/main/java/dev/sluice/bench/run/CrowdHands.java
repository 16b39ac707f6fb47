package dev.sluice.bench.run;

import dev.sluice.bench.systems.SluiceCrowd;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Does with many clients what it is told. */
final class CrowdHands implements Hands {
  private final Crowd crowd;
  private @Nullable CrowdLoop loop;

  CrowdHands(SluiceCrowd source) {
    this.crowd = new Crowd(source);
  }

  @Override
  public Reply follow(Order order) throws Exception {
    if (order instanceof Order.Gather gather) {
      crowd.grow(gather.clients(), gather.ownInboxes());
    } else if (order instanceof Order.Send send) {
      loop = new CrowdLoop(crowd, send, SharedPage.map(Path.of(send.page())));
      loop.start();
    } else if (order instanceof Order.Touch touch) {
      crowd.touch(touch.errand(), touch.name());
    } else if (order instanceof Order.Measure) {
      Hands.present(loop, order).measure();
    } else if (order instanceof Order.Pause) {
      Hands.present(loop, order).pause();
    } else if (order instanceof Order.Stop) {
      CrowdLoop done = Hands.present(loop, order);
      loop = null;
      return done.stop();
    }
    return new Reply.Done();
  }
}
