package io.policyscheduler.tests.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.tests.RepositoryFiles;
import io.policyscheduler.tests.e2e.Await;
import io.policyscheduler.tests.e2e.Program;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;

/** {@code demo --ui} in a browser. {@code -Drenew=true} takes the screenshots of the pages again. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LivePageTest {
    private static final boolean RENEW = Boolean.getBoolean("renew");
    private static final Pattern PAGE = Pattern.compile("page +(http://\\S+)");
    private static final Pattern CLUSTER = Pattern.compile("nodes at (http://\\S+)");
    private static final int MOST_PODS = 100;
    private static final Pattern STATUS = Pattern.compile("status at (http://[^\\s/]+)");
    private static final List<String> VIEWS = List.of(
            "#overview",
            "#pending",
            "#decisions",
            "#nodes?node=node-a1",
            "#preemptions",
            "#policy",
            "#pod?pod=default%2Fnotebook");

    private final Browser browser;
    private final Program program;
    private final String page;
    /** The addresses of the pages that a test has opened. */
    private final List<String> pages = new ArrayList<>();

    LivePageTest(@TempDir Path folder) {
        browser = Browser.start();
        program = Program.start(folder, "demo", "--ui", "--pace", RENEW ? "250ms" : "5ms");
        program.awaitOutput("page  ");
        page = found(PAGE);
        pages.add(page);
    }

    @BeforeAll
    void scheduled() {
        if (RENEW) {
            takePictures();
        }
        program.awaitOutput("UNSCHEDULABLE");
        browser.open(page);
        // The urgent pod has replaced another one.
        browser.awaitTrue(
                "return document.getElementById('summary').textContent === '13 nodes, 42 running pods, 4 pending'");
    }

    private String found(Pattern pattern) {
        Matcher matcher = pattern.matcher(program.output());
        assertTrue(matcher.find(), program.output());
        return matcher.group(1);
    }

    @AfterAll
    void close() {
        browser.close();
        program.close();
    }

    @BeforeEach
    void desktop() {
        browser.desktop();
    }

    /** No test causes a console message or a request to another server. */
    @AfterEach
    void quietAndAlone() {
        assertEquals(List.of(), browser.console());
        List<String> requests = browser.requests();
        assertTrue(requests.stream().anyMatch(url -> url.endsWith("/ui/events")), requests::toString);
        assertEquals(
                List.of(),
                requests.stream()
                        .filter(url -> pages.stream().noneMatch(url::startsWith) && !url.equals("about:blank"))
                        .toList());
    }

    @Test
    void everyViewShowsWhatItIsFor() {
        browser.open(page);
        browser.awaitTrue("return document.querySelectorAll('#main .u-wrap canvas').length === 4");
        browser.awaitTrue("return document.querySelectorAll('#main tbody td a').length > 5");
        browser.click("#to-pending");
        browser.awaitText("4 pods are pending, for 4 reasons");
        browser.click("#main summary");
        browser.awaitTrue(
                "return location.hash.includes('reason=') && document.querySelector('details[open] td a') !== null");

        browser.click("#to-decisions");
        browser.awaitText("Insufficient cpu");

        browser.click("#to-preemptions");
        browser.awaitText("default/urgent");
        assertTrue(browser.textOf("#main tbody td:last-child a").startsWith("default/"));

        browser.click("#to-policy");
        browser.awaitText("NodePreferAvoidPods");
        assertTrue(browser.text().contains("line 20"), browser::text);

        browser.click("#to-nodes");
        browser.awaitTrue("return document.querySelector('#nodes')?.height > 100");
        browser.type("#find", "node-c2", Keys.ENTER);
        browser.awaitText("Node node-c2");
        browser.awaitText("nvidia.com/gpu");
    }

    /** The page is opened for the first time after the demo has ended, and its plots show that time. */
    @Test
    void thePageHasTheHistoryOfWhatIsOver() {
        browser.open(page);
        browser.awaitTrue("return document.getElementById('summary').textContent.startsWith('13 nodes')");
        browser.awaitTrue("return [...document.querySelectorAll('#main figure .empty')].length === 4"
                + " && [...document.querySelectorAll('#main figure .empty')].every(one => one.hidden)");
        String bound = browser.ask("return new Promise(done => { const events = new EventSource('ui/events');"
                + " events.addEventListener('frame', event => { events.close();"
                + " done(String(JSON.parse(event.data).points.reduce((sum, point) => sum + point.bound, 0))); }); })");
        assertTrue(Integer.parseInt(bound) > 10, bound);
    }

    @Test
    void anUnknownAddressSaysSo() {
        browser.open(page + "#nosuch");
        browser.awaitTrue("return document.getElementById('unknown').textContent"
                + " === 'There is no view \"nosuch\". This is Overview.'");
        browser.click("#to-pending");
        browser.awaitTrue("return document.getElementById('unknown').hidden");
    }

    /** The place of a pod depends on the times at which the others were bound. */
    private String nodeOfNotebook() {
        return browser.ask(
                "return fetch('ui/pod?pod=default/notebook').then(answer => answer.json()).then(pod => pod.node)");
    }

    @Test
    void aLinkLeadsFromANodeToTheScoresThatPutAPodThere() {
        String node = nodeOfNotebook();
        browser.open(page + "#nodes?node=" + node + "&resource=memory&by=ssd");
        browser.awaitText("default/notebook");
        assertEquals("memory", browser.ask("return document.getElementById('resource').value"));
        browser.awaitTrue("return document.getElementById('by').value === 'ssd'");
        browser.click("#node a[data-key='default/notebook']");
        browser.awaitText("of 13 nodes are feasible");
        assertTrue(browser.url().endsWith("#pod?pod=default%2Fnotebook"), browser::url);
        assertEquals(node, browser.textOf(".heat thead th:nth-child(3)"));
        assertTrue(Integer.parseInt(browser.ask("return document.querySelectorAll('.heat-9').length")) > 3);
    }

    @Test
    void keysAreEnough() {
        browser.open(page);
        browser.awaitTrue("return document.querySelector('#main tbody a') !== null");
        browser.tabTo("#to-pending");
        browser.press(Keys.ENTER);
        browser.awaitText("4 pods are pending, for 4 reasons");
        browser.tabTo("#main summary");
        browser.press(Keys.ENTER);
        browser.awaitTrue(
                "return location.hash.includes('reason=') && document.querySelector('details[open]') !== null");
        assertEquals("true", browser.ask("return document.activeElement.matches('details[open] summary')"));
        browser.tabTo("#to-nodes");
        browser.press(Keys.ENTER);
        browser.awaitTrue("return document.querySelector('#nodes')?.height > 100");
        assertEquals("main", browser.ask("return document.activeElement.id"));
        browser.tabTo("#nodes");
        awaitSaid("node-d1");
        browser.press(Keys.ARROW_DOWN);
        awaitSaid("node-a1");
        browser.press(Keys.ARROW_RIGHT);
        browser.press(Keys.ARROW_RIGHT);
        awaitSaid("node-a3");
        browser.press(Keys.ENTER);
        browser.awaitText("Node node-a3");
        assertTrue(browser.url().endsWith("#nodes?node=node-a3"), browser::url);
        browser.awaitTrue("return document.querySelector('#node tbody a') !== null");
        browser.tabTo("#node tbody a");
        browser.press(Keys.ENTER);
        browser.awaitTrue("return location.hash.startsWith('#pod?pod=')");
        browser.awaitText("requests");
    }

    private void awaitSaid(String node) {
        browser.awaitTrue("return document.getElementById('said').textContent.startsWith(arguments[0])", node);
    }

    @Test
    void onAPhoneAndForThoseWhoDoNotSee() {
        browser.resize(390, 800);
        browser.open(page);
        for (String view : VIEWS) {
            browser.ask("location.hash = '" + view + "'");
            browser.awaitTrue("return document.querySelector('#main').innerText.length > 30");
            assertEquals("true", browser.ask("return document.documentElement.scrollWidth <= innerWidth"), view);
            assertEquals("[]", browser.nameless(), view);
            String current = browser.ask("return document.querySelectorAll('nav [aria-current]').length");
            assertEquals(view.startsWith("#pod?") ? "0" : "1", current, view);
        }
    }

    @Test
    void darkIsDark() {
        String background = "return getComputedStyle(document.body).backgroundColor";
        browser.open(page + "#nodes");
        browser.awaitTrue("return document.querySelector('#nodes')?.height > 100");
        String light = browser.ask(background);
        browser.prefer("dark");
        assertNotEquals(light, browser.ask(background));
        assertEquals("rgb(20, 23, 26)", browser.ask(background));
        assertEquals("rgb(230, 233, 236)", browser.ask("return getComputedStyle(document.body).color"));
    }

    /** The page of another scheduler in the cluster of the demo, whose canary rejects all nodes. */
    @Test
    void policyViewShowsTheCanaryAndItsRollback(@TempDir Path folder) throws IOException, InterruptedException {
        String policy = "{\"kind\": \"Policy\", \"apiVersion\": \"v1\", \"priorities\": [], \"predicates\": [%s]}";
        String inRack = "{\"name\": \"InRack\", \"argument\": {\"labelsPresence\": {\"labels\": [\"no-such-label\"],"
                + " \"presence\": true}}}";
        Path current = Files.writeString(folder.resolve("current.json"), policy.formatted(""));
        Path canary = Files.writeString(folder.resolve("canary.json"), policy.formatted(inRack));
        int created = 0;
        try (Program run = Program.start(
                folder,
                "run",
                "--master",
                found(CLUSTER),
                "--scheduler-name",
                "trial",
                "--leader-elect=false",
                "--policy-config-file",
                current.toString(),
                "--policy-canary",
                canary.toString(),
                "--canary-share",
                "99%",
                "--canary-max-waiting",
                "1",
                "--status-address",
                "127.0.0.1:0")) {
            run.awaitOutput("status at");
            Matcher status = STATUS.matcher(run.output());
            assertTrue(status.find(), run.output());
            pages.add(status.group(1) + "/");
            browser.open(status.group(1) + "/#policy");
            browser.awaitText("The canary is active. For 0 of its pods, only the current policy finds a node");
            browser.awaitText("trial: canary for the pods of 99 % of the controllers, such as ReplicaSets");
            while (created < MOST_PODS && !run.output().contains("W137")) {
                created++;
                createPod("trial-" + created, "trial");
            }
            run.awaitOutput("policy generation 2 is now in effect");
            browser.open(status.group(1) + "/#policy");
            browser.awaitTrue("return document.querySelector('#main [role=alert]')?.textContent"
                    + ".startsWith('The canary was rolled back: 2 pods wait')");
            // The canary found no node for its pods, and the current policy would have found one for each.
            browser.awaitTrue("return [...document.querySelectorAll('#main tbody tr')]"
                    + ".map(row => [...row.children].map(cell => cell.textContent).join(' '))"
                    + ".some(row => /^canary 0 0 0 [1-9][0-9]* 0$/.test(row))");
            assertEquals("[]", browser.nameless());
            // Else the end of the program interrupts the stream of the open page.
            browser.open(page);
        } finally {
            for (int i = 1; i <= created; i++) {
                send("DELETE", "/trial-" + i, "");
            }
        }
    }

    private void createPod(String name, String schedulerName) throws IOException, InterruptedException {
        String pod = "{\"kind\": \"Pod\", \"apiVersion\": \"v1\", \"metadata\": {\"name\": \"" + name + "\"}, \"spec\":"
                + " {\"schedulerName\": \"" + schedulerName
                + "\", \"containers\": [{\"name\": \"c\", \"image\": \"c\"}]}}";
        assertEquals(201, send("POST", "", pod).statusCode());
    }

    private HttpResponse<String> send(String method, String path, String body)
            throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create(found(CLUSTER) + "/api/v1/namespaces/default/pods" + path))
                .header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void whatTheClusterSaysIsNeverMarkup() {
        String hostile = "<img src=x onerror=document.title='taken'><b>bold</b>";
        browser.open(page + "#pending");
        awaitSaid("old-kernel", hostile);
        assertEquals("0", browser.ask("return document.querySelectorAll('#main img, #main b').length"));
        browser.ask("location.hash = '#pod?pod=default%2Fold-kernel'");
        browser.awaitTrue("return document.querySelector('#main h2').innerText === 'Pod default/old-kernel'");
        awaitSaid("old-kernel", hostile);
        assertEquals("0", browser.ask("return document.querySelectorAll('#main img, #main b').length"));
    }

    /** Repeated until the page shows a message; the scheduler may try the pod again at any time and overwrite it. */
    private void awaitSaid(String pod, String message) {
        Await.until(Duration.ofMinutes(1), "the page shows " + message, () -> says(pod, message), browser::text);
    }

    private boolean says(String pod, String message) {
        try {
            patchStatus(pod, message);
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return browser.text().contains(message);
    }

    private void patchStatus(String pod, String message) throws IOException, InterruptedException {
        String body = "{\"status\": {\"conditions\": [{\"type\": \"PodScheduled\", \"status\": \"False\", \"reason\":"
                + " \"Unschedulable\", \"message\": \"" + message + "\"}]}}";
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create(found(CLUSTER) + "/api/v1/namespaces/default/pods/" + pod + "/status"))
                .header("Content-Type", "application/strategic-merge-patch+json")
                .method("PATCH", HttpRequest.BodyPublishers.ofString(body))
                .build();
        HttpResponse<String> response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        assertEquals(200, response.statusCode(), response.body());
    }

    private void takePictures() {
        Path images = RepositoryFiles.root().resolve("docs/images");
        browser.resize(1100, 940);
        browser.open(page + "#overview");
        program.awaitOutput("UNSCHEDULABLE");
        browser.awaitText("default/urgent");
        browser.picture(images.resolve("page-overview.png"));
        browser.open(page + "#nodes?resource=memory&node=" + nodeOfNotebook());
        browser.awaitText("default/notebook");
        browser.awaitTrue("return document.querySelector('#nodes')?.height > 100");
        browser.picture(images.resolve("page-nodes.png"));
        browser.prefer("dark");
        browser.open(page + "#pod?pod=default%2Fnotebook");
        browser.awaitText("reason");
        browser.awaitTrue("return document.getElementById('summary').textContent.startsWith('13 nodes')");
        browser.picture(images.resolve("page-pod-dark.png"));
    }
}
