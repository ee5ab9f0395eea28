package io.policyscheduler.tests.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.cli.Main;
import io.policyscheduler.tests.RepositoryFiles;
import io.policyscheduler.tests.StartedProgram;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;

/** The files of {@code --html} in a browser. {@code -Drenew=true} takes the screenshots of the pages again. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ReportPagesTest {
    private static final boolean RENEW = Boolean.getBoolean("renew");
    private static final String DEMO = "policy-files/demo/";
    private static final String POD = "#pod=default%2Fweb-6d4cf56db6-04";

    /** The decisive columns and the chosen node of each visible table of scores. */
    private static final String SEEN = """
        return JSON.stringify([...document.querySelectorAll('.detail .scroll')].filter(box => box.querySelector('td.decides')).map(box => {
          const inside = one => one.getBoundingClientRect().left >= box.getBoundingClientRect().left
            && one.getBoundingClientRect().right <= box.getBoundingClientRect().right + 1;
          return [box.querySelectorAll('tr.chosen').length, inside(box.querySelector('td.decides')), inside(box.querySelector('tr.chosen th'))];
        }))\
        """;

    private final Browser browser;
    private final Path folder;
    private final List<String> pages = new ArrayList<>();

    ReportPagesTest(@TempDir Path folder) {
        this.folder = folder;
        browser = Browser.start();
    }

    @BeforeAll
    void write() throws IOException, InterruptedException {
        String root = RepositoryFiles.root() + "/";
        String policy = root + DEMO + "policy.json";
        String cluster = "--cluster " + root + DEMO + "cluster.yaml " + root + DEMO + "workload.yaml";
        page("compare", "compare policy:" + policy + " provider:DefaultProvider " + cluster);
        page("simulate", "simulate --policy " + policy + " " + cluster + " --fit notebook --drain node-a1");
        page("explain", "explain notebook --in-order --policy " + policy + " " + cluster);
        page("audit", "audit --decider modern --threshold 1 --cluster " + root + DEMO + "cluster.yaml");
        page("migrate", "migrate " + policy + " --verify " + root + DEMO + "cluster.yaml");
        writeLab(root, policy);
        Path hostile = Files.writeString(folder.resolve("hostile.yaml"), ReportClusters.hostile());
        page("hostile-compare", "compare provider:DefaultProvider modern --replay-bound --cluster " + hostile);
        page("hostile-simulate", "simulate --provider DefaultProvider --cluster " + hostile);
        page("hostile-explain", "explain waits --provider DefaultProvider --cluster " + hostile);
        page("hostile-audit", "audit --provider DefaultProvider --cluster " + hostile);
        ReportClusters.writeShadow(folder.resolve("hostile-shadow.html"));
        pages.add("hostile-shadow");
        Path large = Files.writeString(folder.resolve("large.yaml"), ReportClusters.large());
        page("large-simulate", "simulate --provider DefaultProvider --cluster " + large);
        page("large-compare", "compare provider:DefaultProvider modern -n few --cluster " + large);
        if (RENEW) {
            takePictures();
        }
    }

    private void writeLab(String root, String policy) throws IOException {
        String trace = " --cluster " + root + DEMO + "cluster.yaml --arrivals " + root + DEMO
                + "arrivals.csv --until 2h --block 10m";
        page("lab-run", "lab run " + policy + trace);
        page("lab-compare", "lab compare " + policy + " modern" + trace);
        Path recorded = Files.createDirectories(folder.resolve("trace"));
        Files.copy(Path.of(root + DEMO + "cluster.yaml"), recorded.resolve("cluster.json"));
        Files.copy(Path.of(root + DEMO + "arrivals.csv"), recorded.resolve("arrivals.csv"));
        Path sweep = Files.writeString(
                folder.resolve("sweep.yaml"),
                "{traces: [trace], schedulers: [modern, 'provider:ClusterAutoscalerProvider'],"
                        + " tieBreak: [first, random], seeds: 2}");
        page("lab-sweep", "lab sweep " + sweep + " --until 2h --out " + folder.resolve("swept"));
        Path tune = Files.writeString(
                folder.resolve("tune.yaml"),
                "{policy: " + policy + ", knobs: [LeastRequestedPriority, BalancedResourceAllocation],"
                        + " minimize: [balance.cpu, balance.memory]}");
        page("lab-tune", "lab tune " + tune + trace + " --budget 6 --out " + folder.resolve("tuned"));
    }

    private void page(String name, String line) {
        List<String> arguments = new ArrayList<>(List.of(line.split(" ")));
        arguments.addAll(List.of("--html", folder.resolve(name + ".html").toString()));
        StringWriter err = new StringWriter();
        int code =
                Main.run(arguments.toArray(String[]::new), new PrintWriter(new StringWriter()), new PrintWriter(err));
        assertTrue(code <= 1, err::toString);
        pages.add(name);
    }

    @AfterAll
    void close() {
        browser.close();
    }

    @BeforeEach
    void desktop() {
        browser.desktop();
    }

    /** No test causes a console message, or a request for anything but the file. */
    @AfterEach
    void quietAndAlone() {
        assertEquals(List.of(), browser.console());
        assertEquals(
                List.of(),
                browser.requests().stream()
                        .filter(url -> !url.startsWith(folder.toUri().toString())
                                && !url.equals("about:blank")
                                && !url.equals("data:,"))
                        .toList());
    }

    private void open(String name, String fragment) {
        browser.open(folder.resolve(name + ".html").toUri() + fragment);
        browser.awaitTrue("return document.querySelector('#main section') !== null");
    }

    @Test
    void runsOfATraceHaveTablesAndDiagrams() {
        open("lab-run", "");
        assertEquals("assumptions metrics series waits nodes moments", sections());
        assertEquals(3, number("#series svg path"), "a line in each diagram");
        assertEquals(1, number("#waits svg path"));
        assertEquals(13, number("#nodes svg title"), "a row for each node");
        assertEquals(
                "2 4",
                number("#moments > div:nth-of-type(1) tbody tr") + " "
                        + number("#moments > div:nth-of-type(2) tbody tr"));
        assertEquals(2, number("#metrics thead th"), "no differences to other runs");
        open("lab-compare", "");
        assertEquals("assumptions metrics series waits nodes moments", sections());
        assertEquals(5, number("#metrics thead th"));
        assertEquals(2, number("#waits svg path"), "a line for each scheduler");
        assertEquals(2, number("#nodes figure"), "a map for each scheduler");
        assertEquals(26, number("#nodes svg title"));
        open("lab-sweep", "");
        assertTrue(sections().startsWith("best allocation.cpu.mean "), this::sections);
        assertEquals(4, number("#best tbody tr"), "two metrics, two ways to break ties");
        assertEquals(4, number("#wait\\\\.mean tbody tr"), "two schedulers, two ways to break ties");
        assertEquals(4, number("#wait\\\\.mean tbody svg circle"));
        open("lab-tune", "");
        assertEquals("weights metrics front", sections());
        assertEquals(2, number("#weights tbody tr"));
        assertEquals(number("#front tbody tr"), number("#front > svg circle"), "a point for each row");
    }

    private String sections() {
        return browser.ask("return [...document.querySelectorAll('#main section')].map(one => one.id).join(' ')");
    }

    private int number(String selector) {
        return Integer.parseInt(browser.ask("return document.querySelectorAll(\"" + selector + "\").length"));
    }

    /** Clicks where no sticky element covers it. */
    private void click(String selector) {
        browser.ask("document.querySelector('" + selector + "').scrollIntoView({block: 'center'})");
        browser.click(selector);
    }

    @Test
    void theConclusionComesFirstAndAllPodsAreThere() {
        open("compare", "");
        assertTrue(
                browser.textOf(".conclusion")
                        .startsWith("policy.json and DefaultProvider: 30 of 41 pods get another node, 1 becomes"
                                + " schedulable."),
                browser::text);
        assertTrue(browser.textOf(".origin").contains("policy-scheduler compare policy:"));
        assertEquals(3, number(".origin li"));
        assertEquals(41, number("#pods tbody tr"));
        assertEquals("another node", browser.textOf("#pods tbody tr:first-child td:nth-child(2)"));
        assertEquals("same node", browser.textOf("#pods tbody tr:last-child td:nth-child(2)"));
        assertEquals(3, number("#nodes .u-wrap canvas"));
        assertEquals(6, number("#nodes figure figcaption, #nodes .u-legend"));
        click("#pods select option[value=same]");
        assertEquals(7, number("#pods tbody tr"));
        assertEquals("7 rows", browser.textOf("#pods [role=status]"));
    }

    @Test
    void aBandAndACauseShowTheirPods() {
        open("compare", "");
        assertTrue(number("#flow svg .band.moved") >= 6, browser::text);
        click("#flow summary");
        click("#flow tbody tr:first-child button");
        assertTrue(
                browser.textOf("#pods [role=status]").startsWith("7 rows: pods from node-c1 to node-d1"),
                browser::text);
        assertEquals(7, number("#pods tbody tr"));
        click("#causes tbody tr:last-child th a");
        browser.awaitTrue("return document.querySelectorAll('#pods tbody tr').length === 1");
        assertTrue(browser.url().contains("#cause="), browser::url);
        open("compare", "#cause=NodeLabel%20filter%20(InAZone%2C%20NotRetiring)");
        assertEquals("default/web-6d4cf56db6-01", browser.textOf("#pods tbody a.unfold"));
    }

    @Test
    void anAddressOpensAPodWithTheColumnThatDecides() {
        open("compare", POD);
        assertEquals("[[1,true,true],[1,true,true]]", browser.ask(SEEN));
        assertTrue(browser.textOf(".detail").contains("rejects node-d1"), browser::text);
        assertEquals("true", browser.ask("return document.activeElement.getAttribute('aria-expanded')"));
        assertEquals(
                "true",
                browser.ask(
                        "const top = document.querySelector('.detail').getBoundingClientRect().top; return top > 0 &&"
                                + " top < innerHeight"));
        browser.resize(390, 800);
        assertEquals("[[1,true,true],[1,true,true]]", browser.ask(SEEN));
        browser.ask("location.hash = 'pod=default%2Fnobody%'");
        browser.ask("location.hash = 'pod=default%2Fdb-0'");
        browser.awaitTrue("return document.querySelectorAll('.detail').length === 2");
    }

    @Test
    void keysAreEnough() {
        open("compare", "#pods");
        browser.tabTo("#pods thead th:nth-child(3) button");
        browser.press(Keys.ENTER);
        assertEquals("ascending", browser.ask("return document.activeElement.closest('th').ariaSort"));
        browser.press(Keys.ENTER);
        assertEquals("descending", browser.ask("return document.activeElement.closest('th').ariaSort"));
        assertEquals("none", browser.ask("return document.querySelector('#pods th').ariaSort"));
        assertEquals("unschedulable", browser.textOf("#pods tbody tr:first-child td:nth-child(3)"));
        browser.tabTo("#pods a.unfold");
        browser.press(Keys.ENTER);
        browser.awaitTrue("return location.hash.startsWith('#pod=') && document.querySelector('.detail') !== null");
        browser.press(Keys.ENTER);
        browser.awaitTrue("return document.querySelector('.detail') === null");
        browser.press(Keys.ENTER);
        browser.awaitTrue("return document.querySelector('.detail') !== null");
    }

    @Test
    void simulateShowsPlacesLoadsAndReasons() {
        open("simulate", "#pod=default%2Fnotebook");
        browser.awaitText("More pods like default/notebook");
        assertTrue(browser.textOf("#changes").contains("drained node node-a1"), browser::text);
        assertEquals(1, number(".detail tr.chosen"));
        assertEquals(3, number("#nodes .u-wrap canvas"));
        click("#causes tbody tr:first-child th a");
        browser.awaitTrue("return document.querySelectorAll('#pods tbody > tr').length < 5");
    }

    @Test
    void onAPhoneAndForThoseWhoDoNotSee() {
        browser.resize(390, 800);
        assertEquals(16, pages.size());
        for (String page : pages) {
            open(page, "");
            assertEquals("true", browser.ask("return document.documentElement.scrollWidth <= innerWidth"), page);
            assertEquals("[]", browser.nameless(), page);
            assertEquals(1, number("h1"), page);
        }
    }

    @Test
    void darkIsDark() {
        String background = "return getComputedStyle(document.body).backgroundColor";
        String ink = "return [...document.querySelector('#nodes canvas').getContext('2d').getImageData(0, 0, 400,"
                + " 200).data].join()";
        open("compare", "");
        String light = browser.ask(background);
        String drawn = browser.ask(ink);
        browser.prefer("dark");
        assertNotEquals(light, browser.ask(background));
        assertEquals("rgb(20, 23, 26)", browser.ask(background));
        browser.awaitTrue(ink + " !== arguments[0]", drawn);
    }

    @Test
    void whatTheClusterSaysIsNeverMarkup() {
        for (String name :
                List.of("hostile-compare", "hostile-simulate", "hostile-explain", "hostile-audit", "hostile-shadow")) {
            open(name, "");
            browser.ask("document.querySelectorAll('details').forEach(one => one.open = true)");
            for (int folded = number("a.unfold"); folded > 0; folded--) {
                browser.ask("document.querySelector('a.unfold[aria-expanded=false]').click()");
                browser.awaitTrue(
                        "return document.querySelectorAll('a.unfold[aria-expanded=false]').length === arguments[0]",
                        folded - 1);
            }
            browser.awaitText(ReportClusters.HOSTILE);
            assertEquals(0, number("img, b"), name);
            assertNotEquals("taken", browser.ask("return document.title"));
        }
    }

    /** Two thousand nodes are shown by zone, in tables that continue on demand. */
    @Test
    void largeClustersAreShownByZone() throws IOException {
        assertTrue(Files.size(folder.resolve("large-simulate.html")) < 2_000_000);
        open("large-simulate", "");
        assertEquals(50, number("#pods tbody tr"));
        click("#pods .more");
        assertEquals(250, number("#pods tbody tr"));
        browser.ask("location.hash = 'pod=default%2Fweb-1999-5c689d88bb-x2x4q'");
        browser.awaitTrue("return document.querySelector('.detail') !== null");
        open("large-compare", "");
        assertTrue(number("#flow svg .band") <= 9, browser::text);
        assertEquals("zone", browser.ask("return document.querySelector('#flow select').value"));
    }

    private void takePictures() throws IOException, InterruptedException {
        Path images = RepositoryFiles.root().resolve("docs/images");
        String cluster = " --cluster " + DEMO + "cluster.yaml " + DEMO + "workload.yaml";
        browser.resize(1100, 900);
        String compare = written("compare policy:" + DEMO + "policy.json provider:DefaultProvider" + cluster);
        browser.open(compare);
        browser.awaitText("Where each scheduler places the pods");
        browser.picture(images.resolve("report-compare.png"));
        browser.open(compare + POD);
        browser.awaitText("rejects node-d1");
        browser.picture(images.resolve("report-pod.png"));
        browser.prefer("dark");
        browser.open(written("simulate --policy " + DEMO + "policy.json" + cluster
                        + " --add-nodes 2:like=node-a3 --fit notebook")
                + "#nodes");
        browser.awaitTrue("return document.querySelectorAll('#nodes .u-wrap canvas').length === 3");
        browser.picture(images.resolve("report-simulate-dark.png"));
    }

    /** Creates the report in the root of the repository, so that the command line in it is short. */
    private static String written(String line) throws IOException, InterruptedException {
        Path root = RepositoryFiles.root();
        Path file = Path.of("target", line.substring(0, line.indexOf(' ')) + ".html");
        Files.createDirectories(root.resolve("target"));
        List<String> command = new ArrayList<>(StartedProgram.line());
        command.addAll(List.of((line + " --html " + file).split(" ")));
        Process process = new ProcessBuilder(command)
                .directory(root.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertTrue(process.waitFor(60, TimeUnit.SECONDS) && process.exitValue() <= 1, line);
        return root.resolve(file).toUri().toString();
    }
}
