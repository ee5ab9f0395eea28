package io.policyscheduler.engine.policy;

/** A document that is not well formed, or a value that does not fit its field. */
final class DocumentException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient SourcePosition position;

    DocumentException(String message, SourcePosition position) {
        super(message);
        this.position = position;
    }

    SourcePosition position() {
        return position;
    }

    String text() {
        return String.valueOf(getMessage());
    }
}
