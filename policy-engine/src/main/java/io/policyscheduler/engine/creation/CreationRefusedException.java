package io.policyscheduler.engine.creation;

/** An API server would not store the object. The message is what its admission says, without the name of the object. */
public final class CreationRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Which kind of refusal it is. */
    public enum Reason {
        /** 400: a field has another type than its kind says. */
        MALFORMED,
        /** 403: an admission plugin says no. */
        FORBIDDEN
    }

    private final Reason reason;

    CreationRefusedException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    static CreationRefusedException forbidden(String message) {
        return new CreationRefusedException(Reason.FORBIDDEN, message);
    }

    /** Which kind of refusal it is. */
    public Reason reason() {
        return reason;
    }

    /** What admission says; never null. */
    public String text() {
        return String.valueOf(getMessage());
    }
}
