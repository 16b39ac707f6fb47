package dev.sluice.state.grant;

import dev.sluice.spi.LockMessage;
import dev.sluice.state.States;
import java.util.HashSet;
import java.util.Set;

/**
 * Messages for one client, derived from the state of a name, for stores without messages, where a
 * client polls the state. Changes no state. Immutable.
 *
 * @param client the process
 * @param until until when what others do to the name is of interest to the client: the end of its
 *     grants and of its ticket by the store's clock, zero if it has none
 * @param isWaiting whether the client has a ticket, so that it can do nothing until a message
 *     arrives
 * @param held the attempts whose grants the client has taken up
 */
public record GrantNews(String client, long until, boolean isWaiting, Set<Long> held) {

  /**
   * A client's part of a state.
   *
   * @param client the process
   * @param state the name as the client knows it
   * @return what it has
   */
  public static GrantNews of(String client, GrantState state) {
    GrantQueue.Ticket ticket = state.queue.of(client);
    long until = ticket == null ? 0 : ticket.deadAt();
    for (Grant grant : state.grants) {
      until = grant.client.equals(client) ? Math.max(until, grant.expiresAt) : until;
    }
    return new GrantNews(client, until, ticket != null, taken(client, state));
  }

  private static Set<Long> taken(String client, GrantState state) {
    Set<Long> attempts = Set.of();
    for (Grant grant : state.grants) {
      if (grant.client.equals(client) && !grant.pending) {
        attempts = attempts.isEmpty() ? new HashSet<>() : attempts;
        attempts.add(grant.attempt);
      }
    }
    return attempts;
  }

  /**
   * Posts the messages of a later state to the client. The client may have received them before.
   *
   * @param state the name as it is now
   * @param post carries the messages
   */
  public void sendReminders(GrantState state, States.Post<LockMessage> post) {
    if (state.kind == GrantKind.LOCK && !taken(client, state).containsAll(held)) {
      post.send(client, new LockMessage(LockMessage.Kind.TAKEN, state.name));
    }
    for (Grant grant : state.grants) {
      if (grant.client.equals(client) && (grant.pending || grant.wanted)) {
        LockMessage.Kind news = grant.pending ? LockMessage.Kind.GRANTED : LockMessage.Kind.WANTED;
        post.send(client, new LockMessage(news, state.name));
      }
    }
  }
}
