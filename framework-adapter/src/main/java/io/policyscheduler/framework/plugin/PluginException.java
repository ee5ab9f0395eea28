package io.policyscheduler.framework.plugin;

/** A plugin cannot do its work; the message is shown to users as its status. Ends one attempt, or the start of the program. */
public final class PluginException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public PluginException(String message) {
        super(message);
    }

    public PluginException(String message, Throwable cause) {
        super(message, cause);
    }
}
