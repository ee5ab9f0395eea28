package io.policyscheduler.framework.devices.cel.function;

import com.google.common.collect.ImmutableMap;
import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.cel.common.types.OptionalType;
import dev.cel.common.types.SimpleType;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * A format that strings can have, in expressions. Mirrors {@code staging/src/k8s.io/apiserver/pkg/cel/library/format.go}; what is
 * said about a string without the format is ours.
 *
 * @param test whether a string has it
 */
public record NamedFormat(String name, Predicate<String> test) {
    private static final CelType F = ValueTypes.FORMAT;
    private static final String LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
    private static final String LABEL_VALUE = "([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?";
    private static final Pattern UUID =
            Pattern.compile("(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}");

    private static final Map<String, NamedFormat> ALL = ImmutableMap.<String, NamedFormat>builder()
            .putAll(format("dns1123Label", LABEL, 63))
            .putAll(format("dns1123Subdomain", LABEL + "(\\." + LABEL + ")*", 253))
            .putAll(format("dns1035Label", "[a-z]([-a-z0-9]*[a-z0-9])?", 63))
            .putAll(format("dns1123LabelPrefix", LABEL + "-?", 63))
            .putAll(format("dns1123SubdomainPrefix", LABEL + "(\\." + LABEL + ")*-?", 253))
            .putAll(format("dns1035LabelPrefix", "[a-z]([-a-z0-9]*[a-z0-9])?-?", 63))
            .putAll(format("labelValue", LABEL_VALUE, 63))
            .putAll(format(
                    "qualifiedName",
                    "(" + LABEL + "(\\." + LABEL + ")*/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?",
                    317))
            .put("uri", new NamedFormat("uri", text -> {
                try {
                    ParsedUrl.parse(text);
                    return true;
                } catch (FunctionFailure e) {
                    return false;
                }
            }))
            .put("uuid", new NamedFormat("uuid", UUID.asMatchPredicate()))
            .putAll(format("byte", "([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?", Integer.MAX_VALUE))
            .putAll(format("date", "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])", 10))
            .putAll(format(
                    "datetime",
                    "[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})",
                    64))
            .buildOrThrow();

    private static Map<String, NamedFormat> format(String name, String regex, int length) {
        Predicate<String> shape = Pattern.compile(regex).asMatchPredicate();
        return Map.of(name, new NamedFormat(name, text -> text.length() <= length && shape.test(text)));
    }

    /** The functions of formats. */
    public static FunctionSet functions() {
        FunctionSet set = new FunctionSet()
                .global(
                        "format.named",
                        OptionalType.create(F),
                        List.of(SimpleType.STRING),
                        a -> Optional.ofNullable(ALL.get((String) a[0])))
                .member(
                        "validate",
                        OptionalType.create(ListType.create(SimpleType.STRING)),
                        List.of(F, SimpleType.STRING),
                        a -> ((NamedFormat) a[0]).validate((String) a[1]));
        ALL.forEach((name, format) -> set.global("format." + name, F, List.of(), a -> format));
        return set;
    }

    private Optional<List<String>> validate(String text) {
        return test.test(text) ? Optional.empty() : Optional.of(List.of("must be a valid " + name));
    }
}
