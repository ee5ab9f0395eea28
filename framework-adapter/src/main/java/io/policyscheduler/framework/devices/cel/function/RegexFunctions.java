package io.policyscheduler.framework.devices.cel.function;

import com.google.common.collect.ImmutableList;
import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.cel.common.types.ListType;
import dev.cel.common.types.SimpleType;
import java.util.List;

/** {@code find} and {@code findAll}. Mirrors {@code staging/src/k8s.io/apiserver/pkg/cel/library/regex.go}. */
public final class RegexFunctions {
    private RegexFunctions() {}

    /** The functions of expressions. */
    public static FunctionSet functions() {
        ListType strings = ListType.create(SimpleType.STRING);
        return new FunctionSet()
                .member(
                        "find",
                        SimpleType.STRING,
                        List.of(SimpleType.STRING, SimpleType.STRING),
                        a -> find((String) a[0], (String) a[1]))
                .member(
                        "findAll",
                        strings,
                        List.of(SimpleType.STRING, SimpleType.STRING),
                        a -> findAll((String) a[0], (String) a[1], -1))
                .member(
                        "findAll",
                        strings,
                        List.of(SimpleType.STRING, SimpleType.STRING, SimpleType.INT),
                        a -> findAll((String) a[0], (String) a[1], (Long) a[2]));
    }

    private static Pattern compile(String regex) {
        try {
            return Pattern.compile(regex);
        } catch (PatternSyntaxException e) {
            throw new FunctionFailure("Illegal regex: " + e.getMessage());
        }
    }

    private static String find(String text, String regex) {
        Matcher matcher = compile(regex).matcher(text);
        return matcher.find() ? matcher.group() : "";
    }

    /** @param limit how many at most; negative for all */
    private static ImmutableList<String> findAll(String text, String regex, long limit) {
        ImmutableList.Builder<String> found = ImmutableList.builder();
        Matcher matcher = compile(regex).matcher(text);
        for (long n = 0; n != limit && matcher.find(); n++) {
            found.add(matcher.group());
        }
        return found.build();
    }
}
