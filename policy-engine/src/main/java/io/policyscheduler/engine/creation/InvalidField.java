package io.policyscheduler.engine.creation;

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
                path, "FieldValueNotSupported", "Unsupported value: \"" + value + "\": supported values: " + supported);
    }

    @Override
    public String toString() {
        return path + ": " + message;
    }
}
