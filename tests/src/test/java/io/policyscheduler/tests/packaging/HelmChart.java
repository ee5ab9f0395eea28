package io.policyscheduler.tests.packaging;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.marcnuri.helm.Helm;
import com.marcnuri.helm.TemplateCommand;
import java.nio.file.Path;
import java.util.Map;

/** The chart, rendered with Helm's Go library. */
public final class HelmChart {
    static final Path FOLDER = Kustomizations.folder().resolve("helm/policy-scheduler");

    private HelmChart() {}

    /** Skips the test if Helm is missing. */
    static void assumeHelm() {
        String system = System.getProperty("os.name") + " " + System.getProperty("os.arch");
        assumeTrue(
                system.equals("Linux amd64"), "Helm's library for " + system + " is not among the test dependencies");
    }

    /** Returns the manifests for kube-system; skips the test if Helm is missing. */
    public static String render(Map<String, String> values) {
        assumeHelm();
        TemplateCommand template =
                new Helm(FOLDER).template().withNamespace("kube-system").withKubeVersion("1.34.1");
        values.forEach(template::set);
        return template.call();
    }
}
