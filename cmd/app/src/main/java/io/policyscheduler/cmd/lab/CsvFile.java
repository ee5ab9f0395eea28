package io.policyscheduler.cmd.lab;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.dataformat.csv.CsvMapper;
import com.fasterxml.jackson.dataformat.csv.CsvParser;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.sources.InputFiles;
import io.policyscheduler.engine.document.TextInput;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.zip.GZIPInputStream;

/**
 * Reads a CSV file whose first line names the columns, plain or gzipped. Blank lines and lines that begin with {@code #} are skipped, and
 * cells have no spaces at their ends. Rows are passed on one by one, because a trace can have millions of them.
 */
final class CsvFile {
    private static final int GZIP_MAGIC = 0x1f8b;
    private static final String BYTE_ORDER_MARK = "\uFEFF";
    private static final CsvMapper MAPPER = CsvMapper.builder()
            .enable(CsvParser.Feature.WRAP_AS_ARRAY)
            .enable(CsvParser.Feature.TRIM_SPACES)
            .enable(CsvParser.Feature.SKIP_EMPTY_LINES)
            .enable(CsvParser.Feature.ALLOW_COMMENTS)
            .build();

    private final String name;
    private int line = 1;

    private CsvFile(String name) {
        this.name = name;
    }

    /**
     * A line of the file.
     *
     * @param columns in the order of the file
     * @param cells by column; empty text for an empty cell
     */
    record Row(String file, int line, List<String> columns, Map<String, String> cells) {
        /** Returns the cell, or empty text if there is no such column. */
        String text(String column) {
            return cells.getOrDefault(column, "");
        }

        InputException problem(String text) {
            return CsvFile.problem(file, line, text);
        }
    }

    private static InputException problem(String file, int line, String text) {
        return new InputException(file + ":" + line + ": " + text);
    }

    /**
     * Reads a file.
     *
     * @param header takes the names of the columns; it rejects them with an {@link IllegalArgumentException}
     * @param rows takes one row after the other
     * @throws InputException if the file cannot be read, with the line
     */
    static void read(Path file, Consumer<List<String>> header, Consumer<Row> rows) {
        InputFiles.requireFile(file);
        CsvFile csv = new CsvFile(file.toString());
        try (Reader in = open(file)) {
            csv.read(in, header, rows);
        } catch (JsonProcessingException e) {
            String text = String.valueOf(e.getOriginalMessage());
            throw problem(
                    csv.name,
                    csv.line,
                    text.contains("closing quote")
                            ? "a quote is not closed"
                            : text.lines().findFirst().orElse(text));
        } catch (IOException e) {
            throw InputFiles.unreadable(file, e);
        }
    }

    /** Opens a file, plain or gzipped. */
    static Reader open(Path file) throws IOException {
        InputStream in = new BufferedInputStream(TextInput.open(file));
        try {
            in.mark(2);
            int magic = in.read() << 8 | in.read();
            in.reset();
            return new InputStreamReader(magic == GZIP_MAGIC ? new GZIPInputStream(in) : in, StandardCharsets.UTF_8);
        } catch (IOException e) {
            in.close();
            throw e;
        }
    }

    private void read(Reader in, Consumer<List<String>> header, Consumer<Row> rows) throws IOException {
        List<String> columns = List.of();
        try (MappingIterator<String[]> lines = MAPPER.readerFor(String[].class).readValues(in)) {
            while (lines.hasNextValue()) {
                line = lines.getCurrentLocation().getLineNr();
                List<String> cells = List.of(lines.nextValue());
                if (columns.isEmpty()) {
                    columns = columns(cells);
                    try {
                        header.accept(columns);
                    } catch (IllegalArgumentException e) {
                        throw new InputException(name + ":" + line + ": " + e.getMessage(), e);
                    }
                } else {
                    rows.accept(row(columns, cells));
                }
            }
        }
        if (columns.isEmpty()) {
            throw problem(name, 1, "the file is empty; its first line must name the columns");
        }
    }

    private static List<String> columns(List<String> cells) {
        List<String> columns = new ArrayList<>(cells);
        if (columns.get(0).startsWith(BYTE_ORDER_MARK)) {
            columns.set(0, columns.get(0).substring(1));
        }
        return List.copyOf(columns);
    }

    private Row row(List<String> columns, List<String> cells) {
        if (cells.size() != columns.size()) {
            throw problem(name, line, cells.size() + " cells, but " + columns.size() + " columns");
        }
        Map<String, String> values = new HashMap<>();
        for (int i = 0; i < cells.size(); i++) {
            values.put(columns.get(i), cells.get(i));
        }
        return new Row(name, line, columns, values);
    }
}
