package io.policyscheduler.tests.documents;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.cluster.release.NewerField;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.framework.config.ConfigVersion;
import io.policyscheduler.framework.config.DefaultPlugins;
import io.policyscheduler.framework.config.ProfilePlugins;
import io.policyscheduler.framework.config.ProfilePlugins.PluginEntry;
import io.policyscheduler.framework.config.ProfilePlugins.PluginSet;
import io.policyscheduler.framework.plugin.ExtensionPoint;
import io.policyscheduler.tests.RepositoryFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Compares {@code docs/releases.md} with the tables of the program. */
class ReleasesPageTest {
    private static final Path PAGE = RepositoryFiles.root().resolve("docs/releases.md");
    private static final String START =
            "<!-- The tables below are generated: ReleasesPageTest with -Drenew=true. -->\n";
    private static final String END = "<!-- End of the generated tables. -->";
    private static final int FIRST = 18;

    @Test
    void saysWhatTheProgramDoes() throws IOException {
        String page = Files.readString(PAGE);
        int start = page.indexOf(START) + START.length();
        int end = page.indexOf(END);
        String tables = changes() + defaults() + versions() + fields();
        if (Boolean.getBoolean("renew")) {
            Files.writeString(PAGE, page.substring(0, start) + tables + page.substring(end));
        } else {
            assertEquals(
                    tables,
                    page.substring(start, end),
                    PAGE + " is stale; this renews it: mvn test -pl tests -Dtest=ReleasesPageTest -Drenew=true");
        }
    }

    private static String changes() {
        StringBuilder text = new StringBuilder("\n## Changes\n\n")
                .append("| since | plugin | change | applied by | key |\n|---|---|---|---|---|\n");
        for (SchedulerChange change : SchedulerChange.values()) {
            text.append("| ")
                    .append(change.since())
                    .append(" | ")
                    .append(change.plugins())
                    .append(" | ")
                    .append(change.text())
                    .append(" | ")
                    .append(change.part().text())
                    .append(" | `")
                    .append(change.key())
                    .append("` |\n");
        }
        return text.toString();
    }

    /** The default plugins that each release adds and removes. */
    private static String defaults() {
        StringBuilder text = new StringBuilder("\n## Default plugins\n\n")
                .append("Changes from the release before, at all extension points. `=2` is a weight.\n\n")
                .append("| release | added | removed |\n|---|---|---|\n");
        Set<String> before = Set.of();
        for (int minor = FIRST; minor <= Release.NEWEST.minor(); minor++) {
            Set<String> now = plugins(new Release(minor));
            text.append("| 1.").append(minor).append(" | ");
            text.append(missing(now, before)).append(" | ");
            text.append(missing(before, now)).append(" |\n");
            before = now;
        }
        return text.toString();
    }

    private static Set<String> plugins(Release release) {
        ProfilePlugins plugins = DefaultPlugins.of(ConfigVersion.usual(release), release);
        List<PluginSet> sets = new ArrayList<>(List.of(plugins.multiPoint()));
        for (ExtensionPoint point : ExtensionPoint.values()) {
            sets.add(plugins.at(point));
        }
        Set<String> weighted = new LinkedHashSet<>();
        for (PluginSet set : sets) {
            for (PluginEntry entry : set.enabled()) {
                weighted.add(entry.name() + (entry.weight() == 0 ? "" : "=" + entry.weight()));
            }
        }
        weighted.removeIf(name -> weighted.stream().anyMatch(other -> other.startsWith(name + "=")));
        return weighted;
    }

    private static String missing(Collection<String> all, Set<String> from) {
        return all.stream().filter(name -> !from.contains(name)).collect(Collectors.joining(", "));
    }

    private static String versions() {
        String rows = Stream.of(ConfigVersion.values())
                .map(version -> "| " + version.version() + " | " + version.first() + " | "
                        + (version == ConfigVersion.V1 ? "" : version.last()) + " |\n")
                .collect(Collectors.joining());
        return "\n## Versions of configurations\n\n| version | read from release | to release |\n|---|---|---|\n"
                + rows;
    }

    private static String fields() {
        String rows = Stream.of(NewerField.values())
                .map(field -> "| " + field.served() + " | " + field.path() + " | `" + field.key() + "` |\n")
                .collect(Collectors.joining());
        return "\n## Fields\n\nAPI servers of earlier releases drop these fields. `--release` with an earlier release ignores them.\n\n"
                + "| since | field | name |\n|---|---|---|\n" + rows + "\n";
    }
}
