package io.policyscheduler.engine.rules.data;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LinearPatternTest {
    private static boolean matches(String pattern, String text) throws LinearPattern.PatternException {
        return LinearPattern.compile(pattern, LinearPattern.MAX_SIZE).matches(text, new Meter(10_000_000));
    }

    @ParameterizedTest
    @CsvSource({
        "a, a, true",
        "a, aa, false",
        "'', '', true",
        "'', a, false",
        "a*, '', true",
        "gpu-[0-9]+, gpu-17, true",
        "gpu-[0-9]+, gpu-, false",
        "^a.c$, abc, true",
        "(a|bc)*d?, abcbcad, true",
        "[^a-c]+, xyz, true",
        "[^a-c]+, xbz, false",
        "\\d\\w\\s, '1_ ', true",
        "a[.]b, a.b, true",
        "a[.]b, axb, false",
        "[a-], -, true",
        "(|a)b, b, true",
        "(a*)*, aaa, true",
        "(a?)+b, b, true"
    })
    void matchesWholeTexts(String pattern, String text, boolean expected) throws LinearPattern.PatternException {
        assertEquals(expected, matches(pattern, text));
        assertEquals(expected, Pattern.matches(pattern, text), "the table itself");
    }

    @Test
    void longTextsOfBadPatternsAreLinear() throws LinearPattern.PatternException {
        // A backtracking engine needs 2^100,000 steps for this.
        assertFalse(matches("(a|aa)+(a|aa)+b", "a".repeat(100_000)));
    }

    @Test
    void beyondAscii() throws LinearPattern.PatternException {
        assertTrue(matches(".[^a]", "é€"));
        assertFalse(matches("[a-z]", "é"));
    }

    /** Random patterns over a small alphabet against java.util.regex. */
    @Test
    void agreesWithJava() throws LinearPattern.PatternException {
        Random random = new Random(3);
        for (int i = 0; i < 20_000; i++) {
            String pattern = pattern(random, 3);
            Pattern java = Pattern.compile(pattern, Pattern.DOTALL);
            LinearPattern own;
            try {
                own = LinearPattern.compile(pattern, LinearPattern.MAX_SIZE);
            } catch (LinearPattern.PatternException e) {
                assertTrue(e.text().startsWith("more than"), () -> pattern + ": " + e.text());
                continue;
            }
            for (int t = 0; t < 10; t++) {
                StringBuilder text = new StringBuilder();
                for (int n = random.nextInt(6); n > 0; n--) {
                    text.append((char) ('a' + random.nextInt(3)));
                }
                assertEquals(
                        java.matcher(text).matches(),
                        own.matches(text.toString(), new Meter(0)),
                        () -> pattern + " on " + text);
            }
        }
    }

    /** What takes other engines exponential time takes at most the charged steps here. */
    @Test
    void longTextsAreChargedByCharacterAndPattern() throws LinearPattern.PatternException {
        LinearPattern small = LinearPattern.compile("(a|aa)*b", LinearPattern.MAX_SIZE);
        LinearPattern large = LinearPattern.compile("(a*)*".repeat(60) + "b", LinearPattern.MAX_SIZE);
        String text = "a".repeat(250_000);
        Meter meter = new Meter(10_000_000);
        assertFalse(small.matches(text, meter));
        long ofSmall = meter.used();
        meter.start();
        assertFalse(large.matches(text, meter));
        long ofLarge = meter.used();
        meter.start();
        assertFalse(large.matches("c" + text, meter));
        long ofMismatch = meter.used();
        assertEquals(List.of(499_968L, 3_999_744L, 0L), List.of(ofSmall, ofLarge, ofMismatch));
        assertThrows(RuleFailure.class, () -> small.matches(text, new Meter(1_000)));
    }

    private static String pattern(Random random, int depth) {
        if (depth == 0) {
            return switch (random.nextInt(5)) {
                case 0 -> ".";
                case 1 -> "[ab]";
                case 2 -> "[^a]";
                default -> String.valueOf((char) ('a' + random.nextInt(3)));
            };
        }
        return switch (random.nextInt(6)) {
            case 0 -> "(" + pattern(random, depth - 1) + "|" + pattern(random, depth - 1) + ")";
            case 1 -> "(" + pattern(random, depth - 1) + ")*";
            case 2 -> "(" + pattern(random, depth - 1) + ")+";
            case 3 -> "(" + pattern(random, depth - 1) + ")?";
            default -> pattern(random, depth - 1) + pattern(random, depth - 1);
        };
    }
}
