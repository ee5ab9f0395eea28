package io.policyscheduler.engine.policy;

import java.util.Arrays;
import java.util.stream.IntStream;

/** Leads from an offset in a JSON text back to the place in the file that was read. */
interface PositionMap {
    SourcePosition at(int offset);

    /** Lines and columns of the text itself; columns count characters, not bytes. */
    static PositionMap ofText(byte[] text) {
        int[] lineStarts = IntStream.concat(
                        IntStream.of(0),
                        IntStream.range(0, text.length)
                                .filter(i -> text[i] == '\n')
                                .map(i -> i + 1))
                .toArray();
        return offset -> {
            int found = Arrays.binarySearch(lineStarts, offset);
            int line = found >= 0 ? found : -found - 2;
            int column = 1;
            for (int i = lineStarts[line]; i < Math.min(offset, text.length); i++) {
                boolean continuation = (text[i] & 0xC0) == 0x80;
                column += continuation ? 0 : 1;
            }
            return new SourcePosition(line + 1, column);
        };
    }
}
