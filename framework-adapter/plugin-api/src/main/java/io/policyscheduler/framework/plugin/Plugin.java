package io.policyscheduler.framework.plugin;

/**
 * A part of the scheduling framework; it takes part at each extension point whose interface it implements and whose list names
 * it.
 *
 * <p>One instance serves one profile. All methods are called on the scheduling thread, one pod at a time, except those of
 * {@link PreBindPlugin}, {@link BindPlugin} and {@link PostBindPlugin}, which are called on binding threads, several pods at
 * once. What belongs to one pod goes into the {@link CycleState}; what the plugin is given (pods, nodes, lists) must not be
 * changed and, {@code PodInfo} aside, not be kept. A method called for every node ({@link FilterPlugin#filter},
 * {@link ScorePlugin#score}) decides the speed of the whole scheduler: no I/O, no locks, no allocation for the usual answer.
 * An exception counts as an error of this one attempt.
 */
public interface Plugin {
    /** The plugin's name, e.g. {@code NodeResourcesFit}. Must be the name it was registered under. */
    String name();

    /** The name in reports, which is the one in the user's policy if the plugin runs a priority of a policy. */
    default String displayName() {
        return name();
    }

    /** The profile is no longer used: after a reload, or at the end. */
    default void close() {}

    /** A plugin cannot do its work; the message is shown to users as its status. Ends one attempt, or the start of the program. */
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
