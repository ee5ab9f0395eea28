package io.policyscheduler.framework.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.policyscheduler.engine.document.ShapeDecoder.Shape;
import io.policyscheduler.framework.config.Setting.FlagGroup;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingTextTest {
    private static Setting row(Shape.Kind kind) {
        Shape shape = switch (kind) {
            case BOOL -> Shape.BOOL;
            case INT32 -> Shape.INT32;
            case INT64 -> Shape.INT64;
            case FLOAT -> Shape.FLOAT;
            case DURATION -> Shape.DURATION;
            case LIST -> Shape.list(Shape.STRING);
            default -> Shape.STRING;
        };
        return Setting.ofFlag("--it", shape).in(FlagGroup.LOG).row();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "BOOL | true | true",
                "BOOL | T | true",
                "BOOL | 1 | true",
                "BOOL | False | false",
                "BOOL | f | false",
                "BOOL | 0 | false",
                "INT32 | 2147483647 | 2147483647",
                "INT32 | +7 | 7",
                "INT32 | -2147483648 | -2147483648",
                "INT64 | 9223372036854775807 | 9223372036854775807",
                "FLOAT | 50 | 50",
                "FLOAT | 0.5 | 0.5",
                "DURATION | 90s | 1m30s",
                "DURATION | 0s | 0s",
                "STRING | a,b | a,b",
                "LIST | a,,b, | a,b",
                "LIST | '' | ''",
            })
    void aTextHasAValueThatIsWrittenInOneWay(Shape.Kind kind, String text, String written) {
        assertEquals(written, Setting.format(row(kind).parse(text)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "BOOL | yes | 'yes' is not a boolean",
                "BOOL | '' | '' is not a boolean",
                "INT32 | 2147483648 | '2147483648' is not an int",
                "INT32 | 1.0 | '1.0' is not an int",
                "INT64 | 9223372036854775808 | '9223372036854775808' is not an int",
                "INT64 | '' | '' is not an int",
                "FLOAT | NaN | 'NaN' is not a number",
                "FLOAT | Infinity | 'Infinity' is not a number",
                "FLOAT | much | 'much' is not a number",
                "DURATION | -1s | '-1s' is not a duration (such as 15s, 1m30s or 500ms)",
                "DURATION | 10 | '10' is not a duration (such as 15s, 1m30s or 500ms)",
            },
            quoteCharacter = '~')
    void anotherTextHasNone(Shape.Kind kind, String text, String error) {
        String given = text.equals("''") ? "" : text;
        assertEquals(
                error,
                assertThrows(IllegalArgumentException.class, () -> row(kind).parse(given))
                        .getMessage());
    }

    @Test
    void aWordIsOneOfTheChoices() {
        Setting setting = Setting.ofFlag("--it", Shape.STRING)
                .in(FlagGroup.LOG)
                .choices("round-robin", "first")
                .row();
        assertEquals("round-robin", setting.parse("ROUND_ROBIN"));
        assertEquals(
                "expected one of [round-robin, first] (case-insensitive) but was 'last'",
                assertThrows(IllegalArgumentException.class, () -> setting.parse("last"))
                        .getMessage());
    }

    @Test
    void whatAddsUpIsAListThatCommasDoNotPart() {
        Setting setting = Setting.ofFlag("--it", Shape.STRING)
                .in(FlagGroup.LOG)
                .repeatable()
                .row();
        assertEquals(List.of("a,b"), setting.parse("a,b"));
    }
}
