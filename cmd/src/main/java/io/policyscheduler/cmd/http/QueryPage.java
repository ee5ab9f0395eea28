package io.policyscheduler.cmd.http;

import java.util.Set;
import java.util.function.Function;

/** A page that depends on the query of its request. Thread-safe. */
@FunctionalInterface
public interface QueryPage {
    /** There is none. */
    QueryPage NONE = parameters -> Answer.NOT_FOUND;

    /**
     * What is answered.
     *
     * @param code of HTTP
     * @param contentType such as {@code application/json}
     */
    record Answer(int code, String contentType, String text) {
        /** For a page that is not there. */
        public static final Answer NOT_FOUND = text(404, "404 page not found\n");

        /** Plain text. */
        public static Answer text(int code, String text) {
            return new Answer(code, "text/plain; charset=utf-8", text);
        }
    }

    /**
     * Makes the page.
     *
     * @param parameters all values of a parameter of the query, by its name; empty when it is not given
     */
    Answer answer(Function<String, Set<String>> parameters);
}
