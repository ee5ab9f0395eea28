package io.policyscheduler.cmd.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class SettingsPageTest {
    private static Path page() {
        for (Path folder = Path.of("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
            if (Files.isDirectory(folder.resolve("policy-files"))) {
                return folder.resolve("docs/settings.md");
            }
        }
        throw new IllegalStateException(
                "no folder with policy-files at or above " + Path.of("").toAbsolutePath());
    }

    @Test
    void thePageSaysWhatTheRowsSay() throws IOException {
        Path page = page();
        if (Boolean.getBoolean("renew")) {
            Files.writeString(page, SettingsPage.text());
        }
        assertEquals(
                SettingsPage.text(),
                Files.readString(page),
                "docs/settings.md is stale; this renews it: mvn test -pl cmd/app -Dtest=SettingsPageTest -Drenew=true");
    }
}
