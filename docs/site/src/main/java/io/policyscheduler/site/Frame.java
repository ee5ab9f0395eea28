package io.policyscheduler.site;

import io.policyscheduler.site.SiteGenerator.Page;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.commonmark.node.Text;
import org.commonmark.renderer.html.HtmlRenderer;

/** What is around the text of every page: its head, the questions that lead to all pages, and its contents. */
final class Frame {
    static final Path STYLE = Path.of("site.css");
    private static final Path START = Path.of("README.md");
    private static final String PROJECT = "policy-scheduler";
    private static final int FEWEST_CONTENTS = 3;

    private final List<Question> questions;
    private final Set<Path> answers;

    /** A frame with these questions at its side. */
    Frame(List<Question> questions) {
        this.questions = List.copyOf(questions);
        this.answers = questions.stream()
                .flatMap(question -> question.answers().stream())
                .map(Question.Answer::place)
                .collect(Collectors.toUnmodifiableSet());
    }

    /** The whole page. */
    String around(Page page, String html) {
        String title = page.title().equals(PROJECT) ? PROJECT : page.title() + " - " + PROJECT;
        return """
                <!DOCTYPE html>
                <html lang="en">
                <head>
                <meta charset="utf-8">
                <meta name="viewport" content="width=device-width, initial-scale=1">
                <meta name="color-scheme" content="light dark">
                <title>%s</title>
                <link rel="icon" href="data:,">
                <link rel="stylesheet" href="%s">
                </head>
                <body>
                <a class="skip" href="#text">To the text</a>
                <header>
                <a href="%s">%s</a>
                <label for="menu">Questions</label>
                </header>
                <input type="checkbox" id="menu" aria-label="Show the questions">
                <nav class="questions" aria-label="Questions">
                %s</nav>
                <main id="text">
                %s%s<footer>Built from <a href="%s">%s</a>.</footer>
                </main>
                </body>
                </html>
                """.formatted(
                        escaped(title),
                        page.to(STYLE),
                        page.to(Page.html(START)),
                        PROJECT,
                        questions(page),
                        contents(page),
                        html,
                        page.to(page.place()),
                        escaped(page.place().toString().replace('\\', '/')));
    }

    private String questions(Page page) {
        Optional<Path> current = current(page.place());
        StringBuilder list = new StringBuilder("<ul>\n");
        for (Question question : questions) {
            List<Question.Answer> all = question.answers();
            list.append("<li>").append(link(page, current, question.text(), all.get(0)));
            if (all.size() > 1) {
                List<String> others = new ArrayList<>();
                for (Question.Answer other : all.subList(1, all.size())) {
                    others.add(link(page, current, other.name(), other));
                }
                list.append(" <small>").append(String.join(", ", others)).append("</small>");
            }
            list.append("</li>\n");
        }
        return list.append("</ul>\n").toString();
    }

    private static String link(Page page, Optional<Path> current, String words, Question.Answer answer) {
        String mark = "";
        if (current.equals(Optional.of(answer.place()))) {
            mark = answer.place().equals(page.place()) ? " aria-current=\"page\"" : " aria-current=\"true\"";
        }
        return "<a href=\"" + page.to(Page.html(answer.place())) + "\"" + mark + ">" + escaped(words) + "</a>";
    }

    /** The answer to which a page belongs: itself, or the README of the nearest folder that is one. */
    private Optional<Path> current(Path place) {
        if (answers.contains(place)) {
            return Optional.of(place);
        }
        for (Path folder = place.getParent(); folder != null; folder = folder.getParent()) {
            Path readme = folder.resolve(START);
            if (answers.contains(readme)) {
                return Optional.of(readme);
            }
        }
        return Optional.empty();
    }

    private static String contents(Page page) {
        if (page.sections().size() < FEWEST_CONTENTS) {
            return "";
        }
        StringBuilder list = new StringBuilder("<details class=\"contents\">\n<summary>On this page</summary>\n<ul>\n");
        for (Page.Section section : page.sections()) {
            list.append("<li><a href=\"#").append(section.id()).append("\">");
            list.append(escaped(section.title())).append("</a></li>\n");
        }
        return list.append("</ul>\n</details>\n").toString();
    }

    private static String escaped(String text) {
        return HtmlRenderer.builder().build().render(new Text(text));
    }
}
