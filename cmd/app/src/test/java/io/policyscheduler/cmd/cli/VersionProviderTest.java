package io.policyscheduler.cmd.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.cmd.cli.VersionCommand.Provider;
import java.io.IOException;
import java.io.StringReader;
import java.util.Properties;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VersionProviderTest {
    @ParameterizedTest
    @CsvSource({
        "'', policy-scheduler (unreleased)",
        "version=1.2, policy-scheduler 1.2",
        "version=1.2;commit=0a1b, policy-scheduler 1.2 (commit 0a1b)",
        // Built from sources without a repository.
        "version=1.2;commit=unknown, policy-scheduler 1.2 (commit unknown)",
        // Compiled without Maven.
        "version=${project.version};commit=${git.commit.id}, policy-scheduler (unreleased)",
    })
    void tellsVersionAndCommit(String file, String text) throws IOException {
        Properties properties = new Properties();
        properties.load(new StringReader(file.replace(';', '\n')));

        assertEquals(text, Provider.text(properties));
    }
}
