package io.policyscheduler.engine.creation;

import java.util.List;
import java.util.stream.Collectors;

/** An API server would not store the object. The message is what its admission says, without the name of the object. */
public final class CreationRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Which kind of refusal it is. */
    public enum Reason {
        /** 400: a field has another type than its kind says. */
        MALFORMED,
        /** 422: fields have values that the kind does not allow. */
        INVALID,
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

    /** @param fields at least one */
    static CreationRefusedException invalid(List<InvalidField> fields) {
        String all = fields.stream().map(InvalidField::toString).collect(Collectors.joining(", "));
        return new CreationRefusedException(Reason.INVALID, fields.size() == 1 ? all : "[" + all + "]");
    }

    /** Which kind of refusal it is. */
    public Reason reason() {
        return reason;
    }

    /** What admission says; never null. */
    public String text() {
        return String.valueOf(getMessage());
    }

    /**
     * A field with which an API server does not store an object.
     *
     * @param path of the field, such as {@code spec.containers[0].resources.requests}
     * @param reason machine word, such as {@code FieldValueInvalid}
     * @param message the text after the path
     */
    public record InvalidField(String path, String reason, String message) {
        static InvalidField value(String path, Object value, String detail) {
            return new InvalidField(path, "FieldValueInvalid", "Invalid value: \"" + value + "\": " + detail);
        }

        static InvalidField required(String path, String detail) {
            return new InvalidField(path, "FieldValueRequired", "Required value: " + detail);
        }

        static InvalidField forbidden(String path, String detail) {
            return new InvalidField(path, "FieldValueForbidden", "Forbidden: " + detail);
        }

        static InvalidField unsupported(String path, String value, String supported) {
            return new InvalidField(
                    path,
                    "FieldValueNotSupported",
                    "Unsupported value: \"" + value + "\": supported values: " + supported);
        }

        @Override
        public String toString() {
            return path + ": " + message;
        }
    }
}
