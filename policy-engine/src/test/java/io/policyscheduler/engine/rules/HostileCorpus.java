package io.policyscheduler.engine.rules;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The expressions of {@code hostile.txt}, each with the code of its error. */
final class HostileCorpus {
    /** {@code %{text:n}} stands for n times the text. */
    private static final Pattern REPEAT = Pattern.compile("%\\{(.*?):(\\d+)}");

    record Entry(String code, String expression) {}

    private HostileCorpus() {}

    static List<Entry> read() throws IOException {
        List<Entry> entries = new ArrayList<>();
        try (InputStream in = Objects.requireNonNull(HostileCorpus.class.getResourceAsStream("hostile.txt"))) {
            for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\n", -1)) {
                if (!line.isBlank() && !line.startsWith("#")) {
                    entries.add(new Entry(line.substring(0, 4), expand(line.substring(5))));
                }
            }
        }
        return entries;
    }

    static String expand(String text) {
        Matcher matcher = REPEAT.matcher(text);
        return matcher.replaceAll(
                found -> Matcher.quoteReplacement(found.group(1).repeat(Integer.parseInt(found.group(2)))));
    }
}
