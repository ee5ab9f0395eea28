package io.policyscheduler.engine.document;

import org.jspecify.annotations.Nullable;

/**
 * Where a value stands in a document.
 *
 * @param parent the object or list around it, null for the document itself
 * @param field the field of the object around it that it is the value of; null for an item of a list and the document
 * @param shape what the value should be
 * @param path such as {@code profiles[0].plugins}, empty for the document
 */
public record DocumentPlace(@Nullable DocumentPlace parent, Shape.@Nullable Field field, Shape shape, String path) {
    static DocumentPlace of(Shape document) {
        return new DocumentPlace(null, null, document, "");
    }

    /** The place of a field in this object. */
    public DocumentPlace child(Shape.Field child) {
        return new DocumentPlace(this, child, child.shape(), pathOf(child.key()));
    }

    DocumentPlace item(int index) {
        return new DocumentPlace(this, null, shape.elementShape(), path + "[" + index + "]");
    }

    DocumentPlace as(Shape other) {
        return new DocumentPlace(parent, field, other, path);
    }

    /** Path of a key in this object. */
    public String pathOf(String key) {
        return path.isEmpty() ? key : path + "." + key;
    }
}
