package io.policyscheduler.cmd.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi.Text;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** Help whose option descriptions break only at spaces. Picocli also breaks values such as {@code policy:FILE}. */
final class WordWrapHelp extends Help {
    WordWrapHelp(CommandSpec command, ColorScheme colors) {
        super(command, colors);
    }

    @Override
    public Layout createDefaultLayout(
            List<OptionSpec> options, List<PositionalParamSpec> parameters, ColorScheme colors) {
        return new WordLayout(
                colors,
                super.createDefaultLayout(options, parameters, colors).textTable(),
                createDefaultOptionRenderer(),
                createDefaultParameterRenderer());
    }

    private static final class WordLayout extends Layout {
        WordLayout(ColorScheme colors, TextTable table, IOptionRenderer options, IParameterRenderer parameters) {
            super(colors, table, options, parameters);
        }

        @Override
        public void layout(ArgSpec argument, Text[][] rows) {
            List<Text[]> wrapped = new ArrayList<>();
            for (Text[] row : rows) {
                wrap(row, wrapped);
            }
            super.layout(argument, wrapped.toArray(Text[][]::new));
        }

        private void wrap(Text[] row, List<Text[]> wrapped) {
            int last = row.length - 1;
            Column column = table.columns()[last];
            int width = column.width - column.indent;
            List<String> lines = HelpLayout.lines(row[last].toString(), width);
            for (int i = 0; i < Math.max(lines.size(), 1); i++) {
                Text[] cells = row.clone();
                if (i > 0) {
                    Arrays.fill(cells, colorScheme.text(""));
                }
                cells[last] = lines.isEmpty() ? row[last] : colorScheme.text(lines.get(i));
                wrapped.add(cells);
            }
        }
    }
}
