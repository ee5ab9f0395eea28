package io.policyscheduler.engine.document;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What one kind of document makes of keys and of values that do not fit: which it takes, and what it says about the others. */
public interface DocumentRules {
    /** The field of an object that a key stands for; null if the member is left out. Tells itself what is wrong with it. */
    Shape.@Nullable Field field(SourceNode.Member member, DocumentPlace object);

    /** A field is given once more; the later value counts. */
    void again(SourceNode.Member member, Shape.Field field, DocumentPlace object);

    /** A value, not null, that is none of its shape. */
    void misfit(SourceNode value, DocumentPlace place);

    /** What to read in place of a value, most often the value itself. */
    default SourceNode value(SourceNode value, DocumentPlace place) {
        return value;
    }

    /** The shape of a plugin's arguments; anything goes for plugins that are not known. */
    default Shape arguments(String plugin) {
        return Shape.ANY;
    }

    /** Arguments of a known plugin have been read. */
    default void argumentsRead(ObjectNode arguments, SourceNode source, DocumentPlace place) {}
}
