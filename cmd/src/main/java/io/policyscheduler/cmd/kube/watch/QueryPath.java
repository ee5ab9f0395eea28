package io.policyscheduler.cmd.kube.watch;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Builds a path with a query; empty and null values are left out. */
final class QueryPath {
    private final StringBuilder text;
    private char separator = '?';

    QueryPath(String path) {
        text = new StringBuilder(path);
    }

    QueryPath add(String name, @Nullable String value) {
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
