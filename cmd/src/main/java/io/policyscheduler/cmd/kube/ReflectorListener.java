package io.policyscheduler.cmd.kube;

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
     * One object could not be decoded and was skipped.
     *
     * @param resource the reflector's path, such as /api/v1/pods
     * @param objectName namespace/name or name, empty when not even that is readable
     */
    default void onMalformed(String resource, String objectName, String reason) {}

    /** The server answers, for the first time or again. */
    default void onConnected() {}

    /** The server no longer answers, or refuses, or does so from the start; retries go on, and are not told one by one. */
    default void onDisconnected(String why) {}
}
