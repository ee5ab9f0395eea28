package io.policyscheduler.cmd.cli;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** The version of this program, as the build wrote it. */
final class VersionProvider implements IVersionProvider {
    @Override
    public String[] getVersion() throws IOException {
        return new String[] {"policy-scheduler " + version()};
    }

    private static String version() throws IOException {
        Properties properties = new Properties();
        try (InputStream in = VersionProvider.class.getResourceAsStream("version.properties")) {
            if (in != null) {
                properties.load(in);
            }
        }
        String version = properties.getProperty("version", "");
        return version.isEmpty() || version.startsWith("${") ? "(unreleased)" : version;
    }
}
