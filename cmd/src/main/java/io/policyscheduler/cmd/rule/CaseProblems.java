package io.policyscheduler.cmd.rule;

import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.engine.algorithm.Suggestions;
import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.document.SourcePosition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/** What is wrong with a file of cases, all of it together. */
final class CaseProblems {
    private final String file;
    private final List<Problem> problems = new ArrayList<>();

    /** @param file its name, for messages */
    CaseProblems(String file) {
        this.file = file;
    }

    String file() {
        return file;
    }

    void add(SourcePosition position, String message) {
        problems.add(Problem.at("", message, file, position));
    }

    /** A name that is none of those that are known. */
    void unknown(SourcePosition position, String message, String name, Collection<String> known) {
        problems.add(Problem.at("", message, file, position, name).suggesting(Suggestions.nearest(name, known)));
    }

    /**
     * Nothing, when nothing is wrong.
     *
     * @throws InputException with a line for each problem
     */
    void check() {
        if (!problems.isEmpty()) {
            throw new InputException(problems.stream().map(Problem::line).collect(Collectors.joining("\n")));
        }
    }
}
