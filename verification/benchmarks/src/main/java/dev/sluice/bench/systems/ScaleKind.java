package dev.sluice.bench.systems;

/** What many clients of Sluice meet at: one server, or a cluster of so many masters. */
public enum ScaleKind implements Peer {
  REDIS("one server", 0),
  MASTERS_1("1 master", 1),
  MASTERS_2("2 masters", 2),
  MASTERS_3("3 masters", 3),
  MASTERS_6("6 masters", 6);

  /** Its chapter. */
  public static final String CHAPTER = "scale";

  private final String id;
  private final int masters;

  ScaleKind(String id, int masters) {
    this.id = id;
    this.masters = masters;
  }

  @Override
  public String id() {
    return id;
  }

  @Override
  public String description() {
    return masters == 0
        ? "Sluice, this build, on one Redis"
        : "Sluice, this build, on a cluster without replicas, " + id;
  }

  @Override
  public String chapter() {
    return CHAPTER;
  }

  @Override
  public int masters() {
    return masters;
  }

  /**
   * Where the clients of one worker process come from.
   *
   * @param uri of the server or the cluster
   */
  public SluiceCrowd open(String uri) {
    return new SluiceCrowd(uri);
  }
}
