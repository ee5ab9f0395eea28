package io.policyscheduler.engine.document;

/** A document that is not well formed, or a value that does not fit its field. */
public final class DocumentException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient SourcePosition position;

    public DocumentException(String message, SourcePosition position) {
        super(message);
        this.position = position;
    }

    /** Where the reader stopped or the value stands. */
    public SourcePosition position() {
        return position;
    }

    /** The message, never null. */
    public String text() {
        return String.valueOf(getMessage());
    }
}
