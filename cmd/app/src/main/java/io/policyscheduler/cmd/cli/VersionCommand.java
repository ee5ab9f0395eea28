package io.policyscheduler.cmd.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.engine.cluster.release.Release;
import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Mixin;

/** The command {@code version}. */
@Command(
        name = "version",
        description = "Prints the version of policy-scheduler, the Java version, and the newest supported"
                + " Kubernetes release.",
        footer = {
            "",
            "-o json prints {\"version\": \"policy-scheduler 1.0.0 (commit 4d97bab...)\", \"java\": \"17.0.15\",",
            "\"newestRelease\": \"" + Release.NEWEST_TEXT + "\"}."
        })
final class VersionCommand implements Callable<Integer> {
    @Mixin
    private CommonOptions common = new CommonOptions();

    @Override
    public Integer call() throws IOException {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("version", new Provider().getVersion()[0]);
        json.put("java", Runtime.version().toString());
        json.put("newestRelease", Release.NEWEST.toString());
        common.output()
                .write(
                        () -> {
                            common.out().println(json.path("version").asText());
                            common.out()
                                    .println("Java " + json.path("java").asText()
                                            + ", newest supported Kubernetes release: "
                                            + json.path("newestRelease").asText());
                        },
                        () -> json);
        return ExitCode.OK;
    }

    /** The version and the commit, which the build writes into a resource. */
    static final class Provider implements IVersionProvider {
        @Override
        public String[] getVersion() throws IOException {
            Properties properties = new Properties();
            try (InputStream in = Provider.class.getResourceAsStream("version.properties")) {
                if (in != null) {
                    properties.load(in);
                }
            }
            return new String[] {text(properties)};
        }

        /** {@code policy-scheduler 1.0.0 (commit 4d97bab...)}; unknown when the sources were in no repository. */
        static String text(Properties properties) {
            String version = value(properties, "version");
            String commit = value(properties, "commit");
            return "policy-scheduler " + (version.isEmpty() ? "(unreleased)" : version)
                    + (commit.isEmpty() ? "" : " (commit " + commit + ")");
        }

        /** The build leaves the placeholder if it does not know the value. */
        private static String value(Properties properties, String name) {
            String value = properties.getProperty(name, "");
            return value.startsWith("${") ? "" : value;
        }
    }
}
