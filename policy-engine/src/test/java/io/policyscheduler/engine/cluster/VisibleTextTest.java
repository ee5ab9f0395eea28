package io.policyscheduler.engine.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VisibleTextTest {
    @Test
    void hiddenCharactersAreSpelledOut() {
        assertEquals("plain, größer, 日本, 🎈", VisibleText.line("plain, größer, 日本, 🎈"));
        assertEquals("a\\u001b[31mb\\u0007\\u007f\\u009b", VisibleText.lines("a\u001b[31mb\u0007\u007f\u009b"));
        assertEquals("\\u202eevil\\u2066\\u200b\\ufeff", VisibleText.lines("\u202eevil\u2066\u200b\ufeff"));
        assertEquals("\\u2028\\u2029\\ud800\\udb40\\udc41", VisibleText.line("\u2028\u2029\ud800\udb40\udc41"));
        assertEquals("a\nb\tc\\u000d", VisibleText.lines("a\nb\tc\r"));
        assertEquals("a\\u000ab\\u0009c", VisibleText.line("a\nb\tc"));
    }

    @Test
    void aTextWithoutHiddenCharactersIsItself() {
        String text = "größer\n\t日本 🎈";
        assertSame(text, VisibleText.lines(text));
        assertSame("", VisibleText.line(""));
        assertTrue(VisibleText.isVisible("größer 日本 🎈"));
        assertFalse(VisibleText.isVisible("a\nb"));
        assertFalse(VisibleText.isVisible("🎈\u200b"));
        assertFalse(VisibleText.isVisible("\ud83c"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "http://u:p@h/x | http://u:***@h/x",
                "Post \"https://u:a:b@c@h:1/filter\": EOF | Post \"https://u:***@h:1/filter\": EOF",
                "http://:p@h | http://:***@h",
                "http://h:80/a@b | http://h:80/a@b",
                "http://u@h:80 | http://u@h:80",
                "http://a:b@h http://c:d@i | http://a:***@h http://c:***@i",
                "no url: user:password@host | no url: user:password@host",
            })
    void passwordsAreMasked(String text, String expected) {
        assertEquals(expected, VisibleText.withoutPasswords(text));
    }
}
