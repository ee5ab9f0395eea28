package io.policyscheduler.tests.documents;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.tests.RepositoryFiles;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.commonmark.ext.heading.anchor.IdGenerator;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Code;
import org.commonmark.node.Heading;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.node.Text;
import org.junit.jupiter.api.Test;

/** Every link of every page leads to a file of the repository, and to a heading of it if the link names one. */
class DocumentLinksTest {
    private static final int FEWEST = 300;
    private static final Pattern CLASS = Pattern.compile("[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*");
    private static final Pattern DECLARATION = Pattern.compile("\\b(?:class|record|enum|interface)\\s+([A-Z]\\w*)");
    private static final Pattern FIRST_CELL = Pattern.compile("\\| `[^|]*\\|");
    private static final Pattern PACKAGE = Pattern.compile("`([a-z]+(?:\\.[a-z0-9]+)+)`");

    private final Map<Path, Set<String>> anchors = new HashMap<>();

    @Test
    void leadSomewhere() {
        List<String> broken = new ArrayList<>();
        List<Path> pages = Pages.all();
        int links = 0;
        for (Path page : pages) {
            for (String link : links(page)) {
                URI target = URI.create(link);
                if (target.isAbsolute()) {
                    continue;
                }
                links++;
                Path file = target.getPath().isEmpty()
                        ? page
                        : page.resolveSibling(target.getPath()).normalize();
                String heading = target.getFragment();
                if (!file.startsWith(RepositoryFiles.root()) || !Files.exists(file)) {
                    broken.add(Pages.name(page) + ": no file " + link);
                } else if (heading != null && !anchors(file).contains(heading)) {
                    broken.add(Pages.name(page) + ": no heading " + link);
                }
            }
        }
        assertEquals(List.of(), broken);
        assertTrue(links > FEWEST, "links found: " + links);
    }

    /** Every page is linked from another one. */
    @Test
    void everyPageOfTheDocsIsLinkedTo() {
        Set<Path> reached = new LinkedHashSet<>();
        for (Path page : Pages.read()) {
            for (String link : links(page)) {
                URI target = URI.create(link);
                if (!target.isAbsolute() && !target.getPath().isEmpty()) {
                    Path file = page.resolveSibling(target.getPath()).normalize();
                    reached.add(Files.isDirectory(file) ? file.resolve("README.md") : file);
                }
            }
        }
        List<String> lost = Pages.read().stream()
                .filter(page -> !page.equals(RepositoryFiles.root().resolve("README.md")))
                .filter(page -> !reached.contains(page))
                .map(Pages::name)
                .toList();
        assertEquals(List.of(), lost);
    }

    /** Each guarantee names the test that fails without it. */
    @Test
    void guaranteesNameTestsThatExist() throws IOException {
        Path page = RepositoryFiles.root().resolve("docs/concepts/promises.md");
        Set<String> named = new LinkedHashSet<>();
        Pages.parse(page).accept(new AbstractVisitor() {
            @Override
            public void visit(Code code) {
                if (code.getLiteral().matches("[A-Z][A-Za-z0-9]*Test")) {
                    named.add(code.getLiteral() + ".java");
                }
            }
        });
        assertTrue(named.size() >= 15, () -> "tests found: " + named);
        try (Stream<Path> files = Files.walk(RepositoryFiles.root())) {
            files.filter(file -> file.toString().contains("/src/test/java/"))
                    .map(file -> file.getFileName().toString())
                    .forEach(named::remove);
        }
        assertEquals(Set.of(), named);
    }

    /** The pages for developers name classes that exist. */
    @Test
    void classesThatDevelopersReadAboutExist() throws IOException {
        Set<String> named = new LinkedHashSet<>();
        for (String page : List.of("ARCHITECTURE.md", "CONTRIBUTING.md")) {
            Pages.parse(RepositoryFiles.root().resolve(page)).accept(new AbstractVisitor() {
                @Override
                public void visit(Code code) {
                    String name = code.getLiteral();
                    if (CLASS.matcher(name).matches() && !name.equals("Flakes")) {
                        named.add(name);
                    }
                }
            });
        }
        assertTrue(named.size() >= 5, () -> "classes found: " + named);
        try (Stream<Path> files = Files.walk(RepositoryFiles.root())) {
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".java")).toList()) {
                Matcher declaration = DECLARATION.matcher(Files.readString(file));
                while (declaration.find()) {
                    named.remove(declaration.group(1));
                }
            }
        }
        assertEquals(Set.of(), named);
    }

    /** The table of packages in the README of a module lists each package of the module, and no other. */
    @Test
    void packagesOfModulesAreListed() throws IOException {
        List<String> wrong = new ArrayList<>();
        int tables = 0;
        for (Path page : Pages.all()) {
            Path sources = page.resolveSibling("src/main/java/io/policyscheduler");
            Set<String> listed = listedPackages(page);
            if (listed.isEmpty() || !Files.isDirectory(sources)) {
                continue;
            }
            tables++;
            Set<String> packages = new TreeSet<>();
            try (Stream<Path> files = Files.walk(sources)) {
                files.filter(file -> file.toString().endsWith(".java"))
                        .map(file -> sources.relativize(file.getParent()).toString())
                        .forEach(folder -> packages.add(folder.replace(File.separatorChar, '.')));
            }
            if (!packages.equals(listed)) {
                wrong.add(Pages.name(page) + " lists " + listed + ", but the packages are " + packages);
            }
        }
        assertEquals(List.of(), wrong);
        assertTrue(tables >= 6, "tables found: " + tables);
    }

    private static Set<String> listedPackages(Path page) throws IOException {
        Set<String> listed = new TreeSet<>();
        for (String line : Files.readAllLines(page)) {
            Matcher cell = FIRST_CELL.matcher(line);
            if (cell.lookingAt()) {
                PACKAGE.matcher(cell.group()).results().forEach(name -> listed.add(name.group(1)));
            }
        }
        return listed;
    }

    private static List<String> links(Path page) {
        List<String> found = new ArrayList<>();
        Pages.parse(page).accept(new AbstractVisitor() {
            @Override
            public void visit(Link link) {
                found.add(link.getDestination());
                visitChildren(link);
            }

            @Override
            public void visit(Image image) {
                found.add(image.getDestination());
            }
        });
        return found;
    }

    /** Returns the anchors of a page, as GitHub derives them from headings. */
    private Set<String> anchors(Path page) {
        return anchors.computeIfAbsent(page, file -> {
            Set<String> found = new LinkedHashSet<>();
            if (file.toString().endsWith(".md")) {
                IdGenerator ids = IdGenerator.builder().build();
                Pages.parse(file).accept(new AbstractVisitor() {
                    @Override
                    public void visit(Heading heading) {
                        found.add(ids.generateId(words(heading)));
                    }
                });
            }
            return found;
        });
    }

    private static String words(Node node) {
        StringBuilder words = new StringBuilder();
        node.accept(new AbstractVisitor() {
            @Override
            public void visit(Text text) {
                words.append(text.getLiteral());
            }

            @Override
            public void visit(Code code) {
                words.append(code.getLiteral());
            }
        });
        return words.toString();
    }
}
