package io.policyscheduler.tests.packaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.tests.RepositoryFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

/** The POMs have what Maven Central requires of each artifact, and all modules have one version. */
class PomsTest {
    private static final Path ROOT = RepositoryFiles.root();

    private static Element pom(String folder) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(ROOT.resolve(folder).resolve("pom.xml").toFile())
                .getDocumentElement();
    }

    /** The text of an element by its path; empty if there is none. */
    private static String text(Element from, String... path) {
        Node at = from;
        for (String name : path) {
            Node found = null;
            for (Node child = at.getFirstChild(); child != null && found == null; child = child.getNextSibling()) {
                found = child.getNodeName().equals(name) ? child : null;
            }
            if (found == null) {
                return "";
            }
            at = found;
        }
        return at.getTextContent().strip();
    }

    private static List<String> modules(String folder, Element pom) throws Exception {
        List<String> all = new ArrayList<>(List.of(folder));
        for (String module : text(pom, "modules").split("\\s+", -1)) {
            if (!module.isEmpty()) {
                String path = folder.isEmpty() ? module : folder + "/" + module;
                all.addAll(modules(path, pom(path)));
            }
        }
        return all;
    }

    @Test
    void rootHasWhatAllArtifactsInherit() throws Exception {
        Element root = pom("");
        assertEquals("io.policyscheduler", text(root, "groupId"));
        assertEquals("Apache-2.0", text(root, "licenses", "license", "name"));
        for (String[] path : new String[][] {
            {"url"},
            {"licenses", "license", "url"},
            {"developers", "developer", "name"},
            {"scm", "connection"},
            {"scm", "developerConnection"},
            {"scm", "url"}
        }) {
            assertFalse(text(root, path).isEmpty(), () -> "pom.xml has no " + String.join("/", path));
        }
    }

    @Test
    void everyModuleHasANameADescriptionAndTheVersion() throws Exception {
        Element root = pom("");
        String version = text(root, "version");
        for (String module : modules("", root)) {
            Element pom = pom(module);
            assertFalse(text(pom, "name").isEmpty(), () -> module + " has no name");
            assertFalse(text(pom, "description").isEmpty(), () -> module + " has no description");
            if (!module.isEmpty()) {
                assertEquals(version, text(pom, "parent", "version"), module);
            }
        }
    }

    /** The badges of the README state the version, the license, the Kubernetes releases, and the JDKs of the build. */
    @Test
    void badgesAreCurrent() throws Exception {
        Element root = pom("");
        JsonNode java = new YAMLMapper()
                .readTree(ROOT.resolve(".github/workflows/build.yml").toFile())
                .at("/jobs/verify/strategy/matrix/java");
        List<String> javas = new ArrayList<>();
        java.forEach(release -> javas.add(release.asText()));
        assertEquals(
                List.of(
                        "version: " + text(root, "version").replace("-SNAPSHOT", ""),
                        "license: " + text(root, "licenses", "license", "name"),
                        "Kubernetes: 1.17 to " + Release.NEWEST,
                        "Java: " + String.join(", ", javas)),
                List.of(badge("version"), badge("license"), badge("kubernetes"), badge("java")));
    }

    private static String badge(String name) throws IOException {
        String svg = Files.readString(ROOT.resolve("docs/images/badge-" + name + ".svg"));
        return svg.substring(svg.indexOf("<title>") + "<title>".length(), svg.indexOf("</title>"));
    }
}
