package io.policyscheduler.engine.document;

import java.util.Arrays;
import java.util.stream.IntStream;

/** Lines and columns of a text in UTF-8; columns count characters, not bytes. */
final class TextLines {
    private final byte[] text;
    private final int[] starts;

    TextLines(byte[] text) {
        this.text = text;
        this.starts = IntStream.concat(
                        IntStream.of(0),
                        IntStream.range(0, text.length)
                                .filter(i -> text[i] == '\n')
                                .map(i -> i + 1))
                .toArray();
    }

    SourcePosition at(int offset) {
        int found = Arrays.binarySearch(starts, offset);
        int line = found >= 0 ? found : -found - 2;
        int column = 1;
        for (int i = starts[line]; i < Math.min(offset, text.length); i++) {
            boolean continuation = (text[i] & 0xC0) == 0x80;
            column += continuation ? 0 : 1;
        }
        return new SourcePosition(line + 1, column);
    }
}
