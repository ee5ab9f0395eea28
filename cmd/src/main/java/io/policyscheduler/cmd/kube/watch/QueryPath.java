package io.policyscheduler.cmd.kube.watch;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Builds a path with a query; empty and null values are left out. */
public final class QueryPath {
    private final StringBuilder text;
    private char separator = '?';

    /** A path without parameters. */
    public QueryPath(String path) {
        text = new StringBuilder(path);
    }

    /** Adds a parameter; none when it is null or empty. */
    public QueryPath add(String name, @Nullable String value) {
        if (value != null && !value.isEmpty()) {
            text.append(separator).append(name).append('=');
            text.append(URLEncoder.encode(value, StandardCharsets.UTF_8));
            separator = '&';
        }
        return this;
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
