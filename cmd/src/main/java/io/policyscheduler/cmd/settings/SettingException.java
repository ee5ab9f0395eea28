package io.policyscheduler.cmd.settings;

/** A value that a setting cannot have. The message is one line for users and names the flag and where the value is from. */
public final class SettingException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    SettingException(String message, Throwable cause) {
        super(message, cause);
    }
}
