package io.policyscheduler.cmd.kube.watch;

import java.util.List;

/**
 * Receives one resource's state and changes, all on the reflector's thread. Events may repeat or arrive late, exactly as
 * the server sent them: the receiver compares with what it has.
 */
public interface ReflectorListener<T> {
    /** The complete state, in the server's order; what is not in it no longer exists. */
    void onReplaced(List<T> items, String resourceVersion);

    void onAdded(T object);

    void onModified(T object);

    /** The object's last state. */
    void onDeleted(T object);

    /**
     * The complete state again, with what of it could not be read.
     *
     * @param unreadable objects that exist but are not among {@code items}
     */
    default void onReplaced(List<T> items, List<UnreadableObject> unreadable, String resourceVersion) {
        unreadable.forEach(this::onUnreadable);
        onReplaced(items, resourceVersion);
    }

    /** One object was added or changed and could not be read; it may have been readable before. */
    default void onUnreadable(UnreadableObject object) {}

    /** One object is gone, and its last state could not be read. */
    default void onUnreadableDeleted(UnreadableObject object) {}

    /** The server answers, for the first time or again. */
    default void onConnected() {}

    /** The server no longer answers, or refuses, or does so from the start; retries go on, and are not told one by one. */
    default void onDisconnected(String why) {}
}
