package io.policyscheduler.cmd.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.function.Supplier;

/** Writes the result of a command in the requested format. */
public final class Output {
    private final PrintWriter out;
    private final OutputFormat format;

    /** The output of one command. */
    public Output(PrintWriter out, OutputFormat format) {
        this.out = out;
        this.format = format;
    }

    /** True for a table, which notes for people may follow. */
    public boolean isTable() {
        return format == OutputFormat.TABLE || format == OutputFormat.WIDE;
    }

    /**
     * Writes the result; evaluates only the requested format.
     *
     * @param table prints the result for people
     * @param data returns the JSON document
     */
    public void write(Runnable table, Supplier<? extends JsonNode> data) {
        if (isTable()) {
            if (format == OutputFormat.WIDE && out instanceof TerminalWriter writer) {
                writer.widen();
            }
            table.run();
        } else {
            out.print(format(data.get()));
        }
        out.flush();
    }

    /**
     * Writes the result of a command with a Markdown report; evaluates only the requested format.
     *
     * @param markdown returns the report
     */
    public void write(Runnable table, Supplier<? extends JsonNode> data, Supplier<String> markdown) {
        if (format == OutputFormat.MARKDOWN) {
            out.print(markdown.get());
            out.flush();
        } else {
            write(table, data);
        }
    }

    private String format(JsonNode data) {
        try {
            if (format == OutputFormat.YAML) {
                return yaml(data);
            }
            return json().writeValueAsString(data) + "\n";
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("cannot write a tree", e);
        }
    }

    /** A tree as YAML. */
    public static String yaml(JsonNode data) {
        try {
            return yaml().writeValueAsString(data);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("cannot write a tree", e);
        }
    }

    private static ObjectWriter json() {
        DefaultIndenter indenter = new DefaultIndenter("  ", "\n");
        Separators separators = DefaultPrettyPrinter.DEFAULT_SEPARATORS
                .withObjectFieldValueSpacing(Separators.Spacing.AFTER)
                .withObjectEmptySeparator("")
                .withArrayEmptySeparator("");
        return new ObjectMapper()
                .writer(new DefaultPrettyPrinter(separators)
                        .withObjectIndenter(indenter)
                        .withArrayIndenter(indenter));
    }

    private static ObjectWriter yaml() {
        YAMLFactory factory = YAMLFactory.builder()
                .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
                .disable(YAMLGenerator.Feature.SPLIT_LINES)
                .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
                .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
                .enable(YAMLGenerator.Feature.INDENT_ARRAYS_WITH_INDICATOR)
                .build();
        return new ObjectMapper(factory).writer();
    }

    /** How a command shows its result. */
    public enum OutputFormat {
        /** For people. */
        TABLE,
        /** The same with all columns and rows, however wide they are. */
        WIDE,
        /** One JSON document. */
        JSON,
        /** The same document as YAML. */
        YAML,
        /** A report in Markdown, for a comment. */
        MARKDOWN;

        /** As written on the command line. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
