package io.policyscheduler.engine.reader;

import java.io.IOException;

/** A Kubernetes object that cannot be understood. The message is one line: which field, which value, why. */
public final class MalformedObjectException extends IOException {
    private static final long serialVersionUID = 1L;

    /** @param message one line: where, and what is wrong */
    public MalformedObjectException(String message) {
        super(message);
    }
}
