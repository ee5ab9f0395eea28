package io.policyscheduler.cmd.http;

import com.google.common.base.Splitter;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.Set;

/** Reads the query of a request. */
public final class QueryParameters {
    private QueryParameters() {}

    /**
     * All values of a parameter, in order; one without a value has an empty one, one that cannot be decoded stands as it is.
     *
     * @param query encoded, without the question mark
     */
    public static Set<String> values(String query, String name) {
        Set<String> values = new LinkedHashSet<>();
        for (String pair : Splitter.on('&').omitEmptyStrings().split(query)) {
            int at = pair.indexOf('=');
            if ((at < 0 ? pair : pair.substring(0, at)).equals(name)) {
                values.add(at < 0 ? "" : decoded(pair.substring(at + 1)));
            }
        }
        return values;
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return text;
        }
    }
}
