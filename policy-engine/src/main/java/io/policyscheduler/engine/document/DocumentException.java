package io.policyscheduler.engine.document;

/** A document that is not well formed, or a value that does not fit its field. */
public final class DocumentException extends Exception {
    private static final long serialVersionUID = 1L;

    private final String plainText;
    private final transient SourcePosition position;

    /** @param message the text of kube-scheduler v1.17 */
    public DocumentException(String message, SourcePosition position) {
        this(message, message, position);
    }

    /**
     * @param message the text of kube-scheduler v1.17
     * @param plainText the same for users, without names of Go code and without a position
     */
    public DocumentException(String message, String plainText, SourcePosition position) {
        super(message);
        this.plainText = plainText;
        this.position = position;
    }

    /** The message for users. */
    public String plainText() {
        return plainText;
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
