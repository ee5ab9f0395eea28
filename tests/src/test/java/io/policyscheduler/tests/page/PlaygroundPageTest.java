package io.policyscheduler.tests.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.tests.RepositoryFiles;
import io.policyscheduler.tests.e2e.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;

/** {@code cluster --ui} in a browser. {@code -Drenew=true} takes the screenshots of the pages again. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PlaygroundPageTest {
    private static final boolean RENEW = Boolean.getBoolean("renew");
    private static final String NODE = "a node with 4 cores in zone a";
    private static final String POD = "a pod that requests 500m CPU";
    private static final String DEPLOYMENT = "a Deployment with 3 replicas";

    /** Finds elements without a name for screen readers. */
    private static final String NAMELESS = """
            return JSON.stringify([...document.querySelectorAll('a, input, select, textarea, button, summary, [role=region]')]
              .filter(one => !(one.getAttribute('aria-label') || one.closest('label') || one.textContent.trim()
                || (one.id && document.querySelector(`label[for=${one.id}]`))))
              .map(one => one.outerHTML))""";

    private static final Pattern PAGE = Pattern.compile("page +(http://\\S+)");

    private final Browser browser;
    private final Program program;
    private final String page;

    PlaygroundPageTest(@TempDir Path folder) {
        browser = Browser.start();
        program = Program.start(
                folder,
                "cluster",
                "--ui",
                "--write-kubeconfig",
                folder.resolve("kubeconfig").toString());
        program.awaitOutput("page http");
        Matcher matcher = PAGE.matcher(program.output());
        assertTrue(matcher.find(), program.output());
        page = matcher.group(1);
    }

    @AfterAll
    void close() {
        browser.close();
        program.close();
    }

    @BeforeEach
    void beginEmpty() {
        browser.desktop();
        browser.open(page);
        browser.awaitText("modern");
        click("#to-empty");
        awaitSaid("Reset to empty");
        browser.awaitText("No pod is pending.");
    }

    /** No test causes a console message or a request to another server. */
    @AfterEach
    void quietAndAlone() {
        assertEquals(List.of(), browser.console());
        assertEquals(
                List.of(),
                browser.requests().stream()
                        .filter(url ->
                                !url.startsWith(page) && !url.startsWith("blob:" + page) && !url.equals("about:blank"))
                        .toList());
    }

    private void awaitSaid(String text) {
        browser.awaitTrue("return document.getElementById('said').textContent.includes(arguments[0])", text);
    }

    /** Responses of the server arrive later than the request that needs them. */
    private void click(String selector) {
        browser.awaitTrue("return document.querySelector(arguments[0]) !== null", selector);
        browser.click(selector);
    }

    private void create(String example) {
        browser.choose("#example", example);
        click("#save");
        awaitSaid("Created: ");
        // The next document is different.
        browser.ask("document.getElementById('said').textContent = ''");
    }

    private void write(String selector, String text) {
        browser.ask("document.querySelector('" + selector + "').value = `" + text + "`");
    }

    private static String row(String name) {
        return "#objects button[aria-label='" + name + "']";
    }

    @Test
    void objectsAreMadeChangedAndDeleted() {
        create(NODE);
        create(POD);
        browser.type("#part", "wob");
        browser.awaitText("There are no pods.");
        browser.type("#part", Keys.BACK_SPACE, Keys.BACK_SPACE);
        click(row("Edit web"));
        browser.awaitText("pods web");
        browser.ask(
                "const yaml = document.getElementById('yaml'); yaml.value = yaml.value.replace('app: web', 'app: shop')");
        click("#save");
        awaitSaid("Saved: pod web");
        assertTrue(browser.ask("return document.getElementById('yaml').value").contains("shop"));
        // Only a bind can set the node; the message is the server's.
        browser.ask(
                "const yaml = document.getElementById('yaml'); yaml.value = yaml.value.replace('spec:', 'spec:\\n  nodeName: node-a1')");
        click("#save");
        browser.awaitText("pod updates may not change fields other than");
        click("#leave");
        assertEquals("New objects", browser.textOf("#editor-title"));
        click(row("Delete web"));
        awaitSaid("Deleted: pods web");
        browser.awaitText("There are no pods.");

        write("#yaml", "apiVersion: v1\\nkind: Pod\\nmetadata:\\n  name: Web_1\\nspec:\\n  containers: []\\n");
        click("#save");
        browser.awaitText("metadata.name: Invalid value");
        click("#errors li:first-child button");
        assertEquals(
                "  name: Web_1",
                browser.ask("const yaml = document.getElementById('yaml');"
                        + " return yaml.value.slice(yaml.selectionStart, yaml.selectionEnd)"));
    }

    @Test
    void fieldsAreKnown() {
        browser.choose("#example", DEPLOYMENT);
        click("#fields-summary");
        browser.awaitTrue("return document.querySelector('#fields .crumbs')?.textContent === 'Deployment'");
        click("#fields button[data-key='field spec']");
        browser.awaitText("DeploymentStrategy");
        click("#fields button[data-key='field template']");
        browser.awaitText("PodSpec");
        click("#fields button[data-key='crumb 0']");
        browser.awaitTrue("return document.querySelector('#fields .crumbs').textContent === 'Deployment'");
        browser.choose("#example", NODE);
        browser.awaitTrue("return document.querySelector('#fields .crumbs').textContent === 'Node'");
        browser.ask(
                "const yaml = document.getElementById('yaml'); yaml.value = yaml.value.replace('capacity:', 'capacty:')");
        click("#save");
        browser.awaitText("unknown field \"status.capacty\" (did you mean \"capacity\"?)");
    }

    @Test
    void everyExampleIsTaken() {
        int examples = Integer.parseInt(browser.ask("return document.querySelectorAll('#example option').length"));
        assertTrue(examples > 6);
        for (int i = 2; i <= examples; i++) {
            create(browser.textOf("#example option:nth-child(" + i + ")"));
            assertEquals("", browser.textOf("#errors"));
        }
    }

    @Test
    void stepsAndARunPlacePods() {
        create(NODE);
        create("two nodes, one with a taint");
        create(DEPLOYMENT);
        browser.awaitText("3 pending");
        click("#step");
        awaitSaid(": bound to node-");
        assertTrue(browser.textOf(".opinion").contains("NodeResourcesFit"));
        assertTrue(browser.text().contains("node(s) had untolerated taint"), browser::text);
        click("#run");
        awaitSaid("2 bound, 0 unschedulable");
        browser.awaitText("No pod is pending.");
        create("a PriorityClass and a pod that uses it");
        write(
                "#yaml",
                "{apiVersion: v1, kind: Pod, metadata: {name: huge}, spec: {containers: [{name: c, image: i, resources:"
                        + " {requests: {cpu: \"64\"}}}]}}");
        click("#save");
        awaitSaid("Created: pod huge");
        click("#run");
        awaitSaid("1 bound, 1 unschedulable");
        browser.awaitText("1 pending, all attempted since the last change");
        browser.choose("#whose", "default/huge");
        click("#look");
        browser.awaitText("Changes that make a node feasible");
        write(
                "#yaml",
                "{apiVersion: v1, kind: Pod, metadata: {name: vital}, spec: {priorityClassName: important, containers:"
                        + " [{name: c, image: i, resources: {requests: {cpu: \"5\"}}}]}}");
        click("#save");
        awaitSaid("Created: pod vital");
        browser.choose("#whose", "the next pod");
        click("#look");
        browser.awaitText("Preemption would evict default/shop-");

        browser.ask("location.hash = '#pod?pod=default%2Fimportant'");
        browser.awaitText("of 3 nodes are feasible");
        browser.awaitTrue("return document.querySelector('.heat') !== null");
    }

    @Test
    void decidersStandSideBySide() {
        create(NODE);
        create("two nodes, one with a taint");
        create(POD);
        browser.choose("#decider", "a policy");
        browser.ask("const text = document.getElementById('decider-text');"
                + " text.value = text.value.replace('MostRequested', 'MostRequestd')");
        click("#decider-add");
        browser.awaitText("line 9: policy-1:");
        browser.ask("const text = document.getElementById('decider-text');"
                + " text.value = text.value.replace('MostRequestd', 'MostRequested')");
        click("#decider-add");
        awaitSaid("Scheduled by modern");
        browser.awaitText("policy:policy-1");
        click("#look");
        awaitSaid("Decisions for default/web");
        browser.awaitTrue("return document.querySelectorAll('.opinion .heat').length === 2");
        assertTrue(browser.textOf(".opinion:nth-child(1)").contains("node: node-b1"));
        assertTrue(browser.textOf(".opinion:nth-child(2)").contains("node: node-a1"));
        if (RENEW) {
            takePictures();
        }
        click("button[aria-label='Use this one policy:policy-1']");
        awaitSaid("Scheduled by policy:policy-1");
        click("#step");
        awaitSaid("default/web: bound to node-a1");
        click("button[aria-label='Remove policy:policy-1']");
        awaitSaid("Scheduled by modern");
    }

    @Test
    void aDumpComesInAndGoesOutAndComesBack(@TempDir Path folder) throws IOException {
        Path dump = folder.resolve("dump.yaml");
        Files.writeString(dump, """
                apiVersion: v1
                kind: List
                items:
                - {apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: "4", pods: "10"}}}
                - {apiVersion: example.com/v1, kind: Thing, metadata: {name: t}}
                - apiVersion: v1
                  kind: Pod
                  metadata: {name: left, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: gone, uid: u-0}]}
                  spec: {nodeName: n1, containers: [{name: c, image: i}]}
                """);
        browser.type("#dump-file", dump.toString());
        awaitSaid("Imported: 1 Node, 1 Pod");
        browser.awaitText("1 Thing: the cluster does not serve this kind (t)");
        browser.awaitText("1 Pod: imported without ownerReferences");
        create(DEPLOYMENT);
        browser.awaitText("pods (4)");
        click("#export");
        awaitSaid("Exported cluster.yaml");
        click("#to-import");
        awaitSaid("Reset to the last import");
        browser.awaitText("pods (1)");
        browser.choose("#kind", "deployments.apps (0)");
        browser.awaitText("There are no deployments.apps.");
        write("#dump", "kind: Pod\\n  apiVersion: v1\\n");
        click("#import");
        awaitSaid("dump:2:");
    }

    @Test
    void keysAreEnough() {
        browser.tabTo("#example");
        browser.press("a node with 4");
        browser.tabTo("#yaml");
        browser.press(Keys.chord(Keys.CONTROL, Keys.ENTER));
        awaitSaid("Created: node node-a1");
        write("#yaml", "{apiVersion: v1, kind: Pod, metadata: {name: k}, spec: {containers: [{name: c, image: i}]}}");
        browser.tabTo("#save");
        browser.press(Keys.ENTER);
        awaitSaid("Created: pod k");
        browser.awaitText("Next: default/k");
        browser.tabTo("#step");
        browser.press(Keys.ENTER);
        awaitSaid("default/k: bound to node-a1");
        browser.awaitText("pods (1)");
        browser.tabTo("button[aria-label='Delete k']");
        browser.press(Keys.ENTER);
        awaitSaid("Deleted: pods k");
    }

    @Test
    void onAPhoneInTheDarkAndForThoseWhoDoNotSee() {
        browser.resize(390, 800);
        browser.prefer("dark");
        create(NODE);
        create(POD);
        click("#look");
        browser.awaitTrue("return document.querySelector('.opinion .heat') !== null");
        assertEquals(
                "[]",
                browser.ask("return JSON.stringify([...document.querySelectorAll('#main *')].filter(one =>"
                        + " one.getBoundingClientRect().right > innerWidth && one.closest('.scroll') === null)"
                        + ".map(one => one.outerHTML.slice(0, 200)))"));
        assertEquals("true", browser.ask("return document.documentElement.scrollWidth <= innerWidth"));
        assertEquals(
                "rgb(20, 23, 26)",
                browser.ask("return getComputedStyle(document.getElementById('yaml')).backgroundColor"));
        assertEquals("[]", browser.ask(NAMELESS));
    }

    private void takePictures() {
        browser.resize(1180, 1000);
        browser.ask("document.getElementById('look').scrollIntoView()");
        browser.picture(RepositoryFiles.root().resolve("docs/images/playground-schedulers.png"));
        browser.ask("scrollTo(0, 0)");
        browser.picture(RepositoryFiles.root().resolve("docs/images/playground.png"));
    }
}
