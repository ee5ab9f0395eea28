package io.policyscheduler.framework.extender;

/** A call of an extender failed. The message is what users see. */
public final class ExtenderException extends Exception {
    private static final long serialVersionUID = 1L;

    private final boolean refused;

    private ExtenderException(String message, boolean refused) {
        super(message);
        this.refused = refused;
    }

    /** The extender answered, and said no in these words. */
    public static ExtenderException refused(String message) {
        return new ExtenderException(message, true);
    }

    /** The extender did not answer, or not as it should: what it has done is not known. */
    public static ExtenderException broken(String message) {
        return new ExtenderException(message, false);
    }

    /** True when the extender certainly did not do as asked. */
    public boolean isRefused() {
        return refused;
    }

    /** The text for users. */
    public String text() {
        return String.valueOf(getMessage());
    }
}
