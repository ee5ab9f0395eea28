package io.policyscheduler.cmd.bench;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A size of a cluster, written {@code NODES} or {@code NODESxPODS}.
 *
 * @param pods on the nodes before the first decision; as many as nodes where nothing else is said
 */
record ScaleSize(int nodes, int pods) {
    /** What {@code --scale} stands for by itself. */
    static final String ALL = "1000,2000,5000,10000,20000,50000";

    private static final int MOST_NODES = 1_000_000;
    private static final int MOST_PODS = 10_000_000;
    private static final Pattern FORM = Pattern.compile("(\\d{1,8})(?:x(\\d{1,8}))?");

    /** Reads one. */
    static final class Converter implements ITypeConverter<ScaleSize> {
        @Override
        public ScaleSize convert(String value) {
            Matcher matcher = FORM.matcher(value);
            if (!matcher.matches()) {
                throw new TypeConversionException(
                        "'" + value + "' is not NODES or NODESxPODS, for example 20000 or 100000x1000000");
            }
            int nodes = Integer.parseInt(matcher.group(1));
            int pods = matcher.group(2) == null ? nodes : Integer.parseInt(matcher.group(2));
            if (nodes < 1 || nodes > MOST_NODES || pods > MOST_PODS) {
                throw new TypeConversionException("'" + value + "' is not between 1 and " + MOST_NODES
                        + " nodes with at most " + MOST_PODS + " pods");
            }
            return new ScaleSize(nodes, pods);
        }
    }
}
