package io.policyscheduler.cmd.kube.watch;

import com.fasterxml.jackson.core.JsonParser;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Turns the JSON of one API object into what the program keeps of it. */
@FunctionalInterface
public interface ObjectDecoder<T> {
    /**
     * Called with the parser on the START_OBJECT of one object; returns with the parser on the matching END_OBJECT.
     *
     * @return null when the object is of no interest: it is then neither listed nor reported
     * @throws IOException (or any RuntimeException) when the object is malformed: it is skipped and reported by name
     */
    @Nullable
    T decode(JsonParser parser) throws IOException;
}
