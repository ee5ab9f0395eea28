package io.policyscheduler.framework.insight.whatif;

import io.policyscheduler.engine.algorithm.Suggestions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads changes as users write them. Errors are IllegalArgumentExceptions with one line that says how it should be. */
public final class WhatIfParser {
    private static final Pattern ADD = Pattern.compile("(\\d{1,9}):like=(.+)");
    /** More than any cluster has. */
    private static final int MOST_NODES = 100_000;

    private static final Pattern SCALE = Pattern.compile("(?:([^/=]+)/)?([^/=]+)/([^/=]+)=(\\d{1,6})");

    private static final Map<String, Scale.Kind> KINDS = Map.of(
            "deploy", Scale.Kind.DEPLOYMENT,
            "deployment", Scale.Kind.DEPLOYMENT,
            "rs", Scale.Kind.REPLICA_SET,
            "replicaset", Scale.Kind.REPLICA_SET,
            "sts", Scale.Kind.STATEFUL_SET,
            "statefulset", Scale.Kind.STATEFUL_SET,
            "rc", Scale.Kind.REPLICATION_CONTROLLER,
            "replicationcontroller", Scale.Kind.REPLICATION_CONTROLLER);

    private WhatIfParser() {}

    /** {@code 10:like=n3}. */
    public static AddNodes addNodes(String text) {
        Matcher matcher = ADD.matcher(text);
        if (!matcher.matches() || Integer.parseInt(matcher.group(1)) == 0) {
            throw new IllegalArgumentException("\"" + text + "\" is not NUMBER:like=NODE, such as 10:like=n3");
        }
        int number = Integer.parseInt(matcher.group(1));
        if (number > MOST_NODES) {
            throw new IllegalArgumentException("\"" + text + "\": at most " + MOST_NODES + " nodes can be added");
        }
        return new AddNodes(number, matcher.group(2));
    }

    /** {@code deploy/web=50} in the namespace default, {@code shop/deploy/web=50} in another. */
    public static Scale scale(String text) {
        Matcher matcher = SCALE.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "\"" + text + "\" is not [NAMESPACE/]KIND/NAME=NUMBER, such as deploy/web=50");
        }
        Scale.Kind kind = KINDS.get(matcher.group(2));
        if (kind == null) {
            List<String> names = new ArrayList<>(KINDS.keySet());
            names.sort(null);
            String near = Suggestions.nearest(matcher.group(2), names);
            throw new IllegalArgumentException("\"" + text + "\": " + matcher.group(2) + " is not deploy, rs, sts or rc"
                    + (near == null ? "" : " (did you mean " + near + "?)"));
        }
        String namespace = matcher.group(1) == null ? "default" : matcher.group(1);
        return new Scale(kind, namespace, matcher.group(3), Integer.parseInt(matcher.group(4)));
    }
}
