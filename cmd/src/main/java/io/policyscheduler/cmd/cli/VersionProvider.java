package io.policyscheduler.cmd.cli;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** The version of this program and the commit that it was built from, as the build wrote them. */
final class VersionProvider implements IVersionProvider {
    @Override
    public String[] getVersion() throws IOException {
        Properties properties = new Properties();
        try (InputStream in = VersionProvider.class.getResourceAsStream("version.properties")) {
            if (in != null) {
                properties.load(in);
            }
        }
        return new String[] {text(properties)};
    }

    /** {@code policy-scheduler 0.1.0 (commit 4d97bab...)}; unknown when the sources were in no repository. */
    static String text(Properties properties) {
        String version = value(properties, "version");
        String commit = value(properties, "commit");
        return "policy-scheduler " + (version.isEmpty() ? "(unreleased)" : version)
                + (commit.isEmpty() ? "" : " (commit " + commit + ")");
    }

    /** What the build did not know it left as it was. */
    private static String value(Properties properties, String name) {
        String value = properties.getProperty(name, "");
        return value.startsWith("${") ? "" : value;
    }
}
