package io.policyscheduler.framework.plugin;

/**
 * A plugin of the scheduling framework. It runs at each extension point whose interface it implements and whose list contains it.
 *
 * <p>One instance serves one profile. All methods are called on the scheduling thread, one pod at a time, except those of
 * {@link PreBindPlugin}, {@link BindPlugin} and {@link PostBindPlugin}, which are called on binding threads, for several pods
 * concurrently. Several instances can run in several threads, so that static fields must not change. Data about one pod belongs
 * into the {@link CycleState}. Arguments (pods, nodes, lists) must not be modified and, except {@code PodInfo}, not be stored.
 * Methods that are called for every node ({@link FilterPlugin#filter}, {@link ScorePlugin#score}) determine the speed of the
 * scheduler: no I/O, no locks, no allocation in the usual case. An exception counts as an error of the attempt.
 */
public interface Plugin {
    /** The plugin's name, e.g. {@code NodeResourcesFit}. Must be the name under which it is registered. */
    String name();

    /** The name in reports: the one in the policy if the plugin runs a priority of a policy. */
    default String displayName() {
        return name();
    }

    /** Called when the profile is no longer used: after a reload, or on shutdown. */
    default void close() {}

    /** Thrown if a plugin fails; users see the message as its status. Ends one attempt, or the start of the program. */
    public static final class PluginException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        public PluginException(String message) {
            super(message);
        }

        public PluginException(String message, Throwable cause) {
            super(message, cause);
        }
    }
}
